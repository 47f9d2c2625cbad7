#include "cli/interruption.h"
#include "cli/remote.h"

namespace cuzk::cli {

Status preload(const PreloadOptions& options, Report& report) {
  const Interruption interruption;
  CUZK_TRY(const auto client, open_client(options.service));
  CUZK_TRY(const client::Preloaded loaded, client->preload(options.circuit, interruption.token()));
  report.say(options.circuit + (loaded.already_loaded ? std::string(" was resident already")
                                                      : " is resident, after " +
                                                            human_seconds(static_cast<double>(loaded.load_ms) / 1000)));
  JsonWriter json;
  json.begin_object().key("circuit").string(options.circuit).key("already_loaded").boolean(loaded.already_loaded);
  json.key("load_ms").integer(loaded.load_ms).end_object();
  report.result(std::move(json));
  return {};
}

Status evict(const EvictOptions& options, Report& report) {
  CUZK_TRY(const auto client, open_client(options.service));
  CUZK_TRY(const client::Evicted evicted, client->evict(options.circuit));
  report.say(options.circuit + (!evicted.was_loaded       ? std::string(" was not resident")
                                : evicted.freed_bytes > 0 ? " is dropped, " + human_bytes(evicted.freed_bytes)
                                                          : " is dropped when its last job has ended"));
  JsonWriter json;
  json.begin_object().key("circuit").string(options.circuit).key("was_loaded").boolean(evicted.was_loaded);
  json.key("freed_bytes").integer(evicted.freed_bytes).end_object();
  report.result(std::move(json));
  return {};
}

}  // namespace cuzk::cli
