// Python's == and < between values.
#pragma once

#include "runtime/template/value.h"

namespace aprx::jinja {

// False without meaning once the render has failed: shared parts can make a comparison exponential, so it
// counts.
bool equal(Meter& meter, const Value& left, const Value& right);

// Whether left < right. Fails, naming `operation` (as "<"), where Python can't order the two types.
bool is_less(Meter& meter, const Value& left, const Value& right, const char* operation = "<");

// Whether `item` is in `container`: an item, a key of a dict, or a part of a text.
bool contains(Meter& meter, const Value& container, const Value& item);

// The value of `key` in a dict, null if it has none. The key must be hashable.
const Value* find_entry(Meter& meter, const Mapping& mapping, const Value& key);
const Value* find_entry(Meter& meter, const Mapping& mapping, std::string_view key);

// Adds an entry, or replaces the value of an equal key. Fails on a key that isn't hashable.
void put_entry(Meter& meter, Entries& entries, Value key, Value value);

}  // namespace aprx::jinja
