#include "core/plugin/registry.h"

#include <algorithm>
#include <array>
#include <optional>
#include <system_error>

#include "core/base/log.h"

namespace aprx {

struct PluginRegistry::Entry {
  PluginFile file;
  PluginCandidate facts;
  bool was_tried = false;
  std::unique_ptr<Backend> backend;
  std::unique_ptr<Format> format;
};

namespace {

namespace fs = std::filesystem;

constexpr size_t kHeadBytes = 4096;

// The kind and name that a file's name claims: aprx_KIND_NAME.so.
std::optional<PluginFile> plugin_file(const fs::path& path) {
  constexpr std::string_view kSuffix = ".so";
  const std::string file = path.filename().string();
  for (const PluginKind kind : {PluginKind::kBackend, PluginKind::kFormat}) {
    const std::string prefix = std::string("aprx_") + plugin_kind_name(kind) + "_";
    if (!file.starts_with(prefix) || !file.ends_with(kSuffix)) continue;
    if (file.size() <= prefix.size() + kSuffix.size()) continue;
    return PluginFile{path, kind, file.substr(prefix.size(), file.size() - prefix.size() - kSuffix.size())};
  }
  return std::nullopt;
}

// The error without the file, which is shown beside it.
std::string reason_of(Error error) {
  error.file.clear();
  return error.text();
}

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : ", ") + word;
  return out;
}

// The file's first bytes; refuses files that can't hold a model.
Result<std::vector<std::byte>> head_of(const std::string& path) {
  auto file = FileMap::open(path);
  if (!file) return file.error();
  if ((*file)->size() == 0) {
    return Error{.code = ErrorCode::kBadFile,
                 .file = path,
                 .found = "too short: the file is empty, so it has no magic number at byte 0"};
  }
  std::vector<std::byte> head(std::min<uint64_t>(kHeadBytes, (*file)->size()));
  if (auto done = (*file)->read(0, head); !done) return done.error();
  return head;
}

std::string hex_of(std::span<const std::byte> bytes) {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  for (const std::byte byte : bytes) {
    if (!out.empty()) out += ' ';
    out += kDigits[std::to_integer<size_t>(byte >> 4U)];
    out += kDigits[std::to_integer<size_t>(byte & std::byte{0xF})];
  }
  return out;
}

}  // namespace

PluginRegistry::PluginRegistry(SearchPath search_path, const HostServices& host)
    : search_path_(std::move(search_path)), host_(host) {
  for (const SearchPlace& place : search_path_.places()) {
    if (place.unusable.empty()) scan(place);
  }
}

PluginRegistry::~PluginRegistry() = default;

void PluginRegistry::scan(const SearchPlace& place) {
  std::error_code failed;
  std::vector<PluginFile> found;
  for (auto at = fs::directory_iterator(place.directory, failed); at != fs::directory_iterator();
       at.increment(failed)) {
    if (failed) break;
    if (auto file = plugin_file(at->path())) found.push_back(*std::move(file));
  }
  // The order of a directory is the file system's whim.
  std::sort(found.begin(), found.end(),
            [](const PluginFile& a, const PluginFile& b) { return a.path < b.path; });
  for (PluginFile& file : found) {
    auto entry = std::make_unique<Entry>();
    entry->facts.path = file.path;
    entry->facts.kind = file.kind;
    entry->facts.name = file.name;
    entry->file = std::move(file);
    entries_.push_back(std::move(entry));
  }
}

Result<void> PluginRegistry::try_to_load(Entry& entry) {
  LoadedPlugin::Attempt attempt = LoadedPlugin::load(entry.file);
  entry.facts.abi = attempt.abi;
  if (!attempt.plugin) return attempt.plugin.error();
  std::unique_ptr<LoadedPlugin> plugin = std::move(attempt.plugin).value();
  entry.facts.version = plugin->version();
  if (auto opened = plugin->open(host_.table()); !opened) return opened;
  if (entry.file.kind == PluginKind::kBackend) {
    auto backend = Backend::create(std::move(plugin));
    if (!backend) return backend.error();
    entry.backend = std::move(backend).value();
    return {};
  }
  auto format = Format::create(std::move(plugin));
  if (!format) return format.error();
  entry.format = std::move(format).value();
  return {};
}

void PluginRegistry::load(Entry& entry) {
  if (entry.was_tried) return;
  entry.was_tried = true;
  const auto loaded = try_to_load(entry);
  entry.facts.is_usable = loaded.ok();
  if (loaded) return;
  entry.facts.why_not = reason_of(loaded.error());
  spdlog::info("plugin {} not used: {}", printable(entry.file.path.string()), entry.facts.why_not);
}

PluginRegistry::Entry* PluginRegistry::first_usable(PluginKind kind, std::string_view name) {
  const Entry* refused = nullptr;
  for (const auto& entry : entries_) {
    if (entry->file.kind != kind || entry->file.name != name) continue;
    const bool is_first_look = !entry->was_tried;
    load(*entry);
    if (!entry->facts.is_usable) {
      refused = entry.get();
      continue;
    }
    // Someone put the refused file in front on purpose.
    if (refused != nullptr && is_first_look) {
      spdlog::warn("plugin {} can't be used ({}); using {}", printable(refused->file.path.string()),
                   refused->facts.why_not, printable(entry->file.path.string()));
    }
    return entry.get();
  }
  return nullptr;
}

std::vector<std::string> PluginRegistry::names_of(PluginKind kind) const {
  std::vector<std::string> names;
  for (const auto& entry : entries_) {
    if (entry->file.kind != kind) continue;
    if (std::find(names.begin(), names.end(), entry->file.name) == names.end())
      names.push_back(entry->file.name);
  }
  return names;
}

std::vector<std::string> PluginRegistry::backend_names() const { return names_of(PluginKind::kBackend); }

Result<Backend*> PluginRegistry::backend(std::string_view name) {
  Entry* entry = first_usable(PluginKind::kBackend, name);
  if (entry == nullptr) return no_backend(name);
  return entry->backend.get();
}

// "PATH: REASON; PATH: REASON" of the files that were tried in vain; any name if `name` is empty.
std::string PluginRegistry::failures_of(PluginKind kind, std::string_view name) const {
  std::string out;
  for (const auto& entry : entries_) {
    const bool is_meant = entry->file.kind == kind && (name.empty() || entry->file.name == name);
    if (!is_meant || !entry->was_tried || entry->facts.is_usable) continue;
    out += (out.empty() ? "" : "; ") + entry->file.path.string() + ": " + entry->facts.why_not;
  }
  return out;
}

Error PluginRegistry::no_backend(std::string_view name) {
  Error error{.code = ErrorCode::kCapability, .subject = "backend " + std::string(name)};
  const std::string failures = failures_of(PluginKind::kBackend, name);
  error.found = failures.empty() ? "no plugin of this name was found" : "no usable plugin: " + failures;
  std::vector<std::string> usable;
  for (const std::string& other : backend_names()) {
    if (first_usable(PluginKind::kBackend, other) != nullptr) usable.push_back(other);
  }
  if (!usable.empty()) error.expected = "one of " + joined(usable);
  error.hint = "searched " + search_path_.text();
  return error;
}

Error PluginRegistry::no_format() {
  const std::string failures = failures_of(PluginKind::kFormat, "");
  return {.code = ErrorCode::kPlugin,
          .found = "no usable format plugin" + (failures.empty() ? "" : ": " + failures),
          .hint = "searched " + search_path_.text()};
}

std::vector<const Format*> PluginRegistry::formats() {
  std::vector<const Format*> formats;
  for (const std::string& name : names_of(PluginKind::kFormat)) {
    const Entry* entry = first_usable(PluginKind::kFormat, name);
    if (entry != nullptr) formats.push_back(entry->format.get());
  }
  return formats;
}

Result<std::unique_ptr<ModelFile>> PluginRegistry::open_model(const fs::path& path) {
  auto head = head_of(path.string());
  if (!head) return head.error();
  const Format* best = nullptr;
  uint32_t best_score = 0;
  std::vector<std::string> names;
  for (const Format* format : formats()) {
    names.push_back(format->name());
    const uint32_t score = format->detect(path.string(), *head);
    if (score <= best_score) continue;
    best = format;
    best_score = score;
  }
  if (names.empty()) return no_format();
  if (best != nullptr) return ModelFile::open(*best, path.string());
  const std::span<const std::byte> start = std::span(*head).first(std::min<size_t>(4, head->size()));
  return Error{.code = ErrorCode::kBadFile,
               .file = path.string(),
               .found = "no format plugin reads this file, whose magic is " + hex_of(start),
               .expected = "a file of format " + joined(names)};
}

std::vector<PluginCandidate> PluginRegistry::candidates() {
  std::vector<PluginCandidate> candidates;
  for (const auto& entry : entries_) {
    const Entry* chosen = first_usable(entry->file.kind, entry->file.name);
    candidates.push_back(entry->facts);
    if (entry.get() == chosen || entry->was_tried) continue;
    candidates.back().why_not = "shadowed by " + printable(chosen->file.path.string());
  }
  return candidates;
}

}  // namespace aprx
