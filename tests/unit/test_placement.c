// Which partitions pay by default.
#include "host/placement.h"
#include "unit.h"

int main(void) {
  CHECK(tvmq_partition_pays(1, 0, 40), "one node that computes");
  CHECK(tvmq_partition_pays(3, 2, 40), "a node that computes between two that convert");
  CHECK(!tvmq_partition_pays(1, 1, 40), "a node that converts");
  CHECK(!tvmq_partition_pays(2, 2, 3), "two that convert, of three");
  CHECK(tvmq_partition_pays(2, 2, 2), "a graph that only converts");
  return unit_report();
}
