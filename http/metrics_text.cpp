#include "http/metrics_text.hpp"

#include "schema/metrics.hpp"

#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

namespace weir {

namespace {

prometheus::MetricType type_of(metric_kind kind) {
  switch (kind) {
  case metric_kind::counter: return prometheus::MetricType::Counter;
  case metric_kind::gauge: return prometheus::MetricType::Gauge;
  case metric_kind::histogram: break;
  }
  return prometheus::MetricType::Histogram;
}

prometheus::MetricFamily family_of(const metric_family& about) {
  prometheus::MetricFamily family;
  family.name = about.name;
  family.help = about.help;
  family.type = type_of(about.kind);
  return family;
}

std::string text_of(prometheus::MetricFamily family) {
  std::vector<prometheus::MetricFamily> alone;
  alone.push_back(std::move(family));
  return prometheus::TextSerializer{}.Serialize(alone);
}

} // namespace

void metrics_text::add(std::string_view family,
                       std::span<const metric_sample> samples) {
  const auto& about = metric_family_named(family);
  auto written = family_of(about);
  written.metric.reserve(samples.size());
  for (const auto& each : samples) {
    auto& to = written.metric.emplace_back();
    if (!about.label.empty())
      to.label.push_back({std::string{about.label}, std::string{each.label}});
    if (!about.second_label.empty())
      to.label.push_back(
        {std::string{about.second_label}, std::string{each.second_label}});
    (about.kind == metric_kind::counter ? to.counter.value : to.gauge.value)
      = each.value;
  }
  text_ += text_of(std::move(written));
}

void metrics_text::add(std::string_view family, double value) {
  const metric_sample only{value};
  add(family, std::span{&only, 1});
}

void metrics_text::add(std::string_view family, const metric_buckets& samples) {
  auto written = family_of(metric_family_named(family));
  auto& to = written.metric.emplace_back().histogram;
  for (const auto& each : samples.buckets) {
    to.sample_count += each.count;
    to.bucket.push_back({to.sample_count, each.bound});
  }
  to.sample_sum = samples.sum;
  text_ += text_of(std::move(written));
}

} // namespace weir
