#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/command.h"
#include "app/json_report.h"
#include "app/model_options.h"
#include "app/terminal/console.h"
#include "core/base/format.h"
#include "core/capability/refusal.h"

namespace aprx::app {

namespace po = boost::program_options;

namespace {

using Json = nlohmann::ordered_json;

CommandLine command_line() {
  CommandLine line(
      "backends [--json]",
      "Lists every plugin that was found: backends with their devices and instruction sets, file formats,\n"
      "and for each that can't be used the reason in the loader's own words.",
      {"aprx backends", "aprx backends --plugin-dir build/my-plugin --json"});
  line.section("Output").add_options()("json", po::bool_switch(), "print one JSON object");
  add_host_options(line);
  return line;
}

Json device_json(const Device& device) {
  const aprx_memory_info memory = memory_of(device);
  return {{"id", device.id},
          {"name", device.name},
          {"target", device.target},
          {"chosen_by_auto", !device.is_yardstick()},
          {"memory_total_bytes", memory.total},
          {"memory_free_bytes", memory.free}};
}

Json backend_json(const Backend& backend) {
  const aprx_verdict available = backend.availability();
  Json devices = Json::array();
  for (const Device& device : backend.devices()) devices.push_back(device_json(device));
  Json targets = Json::array();
  for (const BackendTarget& target : backend.targets()) {
    targets.push_back({{"name", target.name},
                       {"usable", target.is_usable},
                       {"in_use", target.is_in_use},
                       {"detail", target.detail}});
  }
  return {{"available", available.reason == APRX_SUPPORTED},
          {"reason", reason_word(static_cast<aprx_reason>(available.reason))},
          {"detail", available.detail},
          {"devices", std::move(devices)},
          {"targets", std::move(targets)}};
}

Json candidate_json(PluginRegistry& registry, const PluginCandidate& candidate) {
  const bool is_backend = candidate.kind == PluginKind::kBackend;
  Json out = {{"kind", is_backend ? "backend" : "format"},
              {"name", candidate.name},
              {"version", candidate.version},
              {"abi", fmt::format("{}.{}", candidate.abi.major, candidate.abi.minor)},
              {"path", printable(candidate.path.string())},
              {"usable", candidate.is_usable},
              {"why_not", candidate.why_not}};
  if (!is_backend || !candidate.is_usable) return out;
  auto backend = registry.backend(candidate.name);
  if (backend) out.update(backend_json(**backend));
  return out;
}

Json listing(PluginRegistry& registry) {
  Json plugins = Json::array();
  for (const PluginCandidate& candidate : registry.candidates())
    plugins.push_back(candidate_json(registry, candidate));
  Json places = Json::array();
  for (const SearchPlace& place : registry.search_path().places()) {
    places.push_back({{"directory", printable(place.directory.string())},
                      {"named_by", place.source},
                      {"unusable", place.unusable}});
  }
  return {{"plugins", std::move(plugins)}, {"searched", std::move(places)}};
}

std::string word(const Json& value) { return value.get<std::string>(); }

std::string devices_text(const Json& plugin) {
  std::string out;
  for (const Json& device : plugin["devices"]) {
    out += fmt::format("    device {}: {}", word(device["id"]), word(device["name"]));
    if (!word(device["target"]).empty()) out += ", " + word(device["target"]);
    out += fmt::format(", {} of {} free", bytes_text(device["memory_free_bytes"]),
                       bytes_text(device["memory_total_bytes"]));
    out += device["chosen_by_auto"].get<bool>() ? "\n" : "; a yardstick, chosen only by name\n";
  }
  for (const Json& target : plugin["targets"]) {
    const std::string detail = word(target["detail"]);
    out += fmt::format("    target {}: {}{}\n", word(target["name"]),
                       target["in_use"].get<bool>()   ? "in use"
                       : target["usable"].get<bool>() ? "usable"
                                                      : "not usable",
                       detail.empty() ? "" : " (" + detail + ")");
  }
  return out;
}

std::string plugin_text(const Json& plugin) {
  std::string out = fmt::format("{} {}", word(plugin["kind"]), word(plugin["name"]));
  if (!word(plugin["version"]).empty()) out += " " + word(plugin["version"]);
  if (!plugin["usable"].get<bool>()) {
    out += ": not usable: " + word(plugin["why_not"]);
  } else if (plugin.contains("available") && !plugin["available"].get<bool>()) {
    out += ": not available: " + word(plugin["reason"]);
    if (!word(plugin["detail"]).empty()) out += " (" + word(plugin["detail"]) + ")";
  }
  out += "\n    " + word(plugin["path"]) + "\n";
  return plugin.contains("devices") ? out + devices_text(plugin) : out;
}

std::string listing_text(const Json& listing) {
  std::string out;
  for (const Json& plugin : listing["plugins"]) out += plugin_text(plugin);
  if (listing["plugins"].empty()) out += "no plugins were found\n";
  out += "searched:\n";
  for (const Json& place : listing["searched"]) {
    out += fmt::format("    {} ({}){}\n", word(place["directory"]), word(place["named_by"]),
                       word(place["unusable"]).empty() ? "" : ": " + word(place["unusable"]));
  }
  return out;
}

}  // namespace

int backends_command(Arguments arguments) {
  CommandLine line = command_line();
  if (auto ok = line.parse(arguments); !ok) return fail(ok.error(), false);
  if (line.wants_help()) return static_cast<void>(print(line.help())), 0;
  auto host = Host::create(host_options(line));
  if (!host) return fail(host.error(), line.flag("json"));
  const Json found = listing((*host)->registry());
  if (line.flag("json")) {
    print_json(found);
  } else {
    static_cast<void>(print(listing_text(found)));
  }
  return 0;
}

}  // namespace aprx::app
