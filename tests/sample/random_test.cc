#include "runtime/sample/random.h"

#include <catch2/catch_test_macros.hpp>

TEST_CASE("random numbers are splitmix64 into xoshiro256**") {
  // Reference values from an independent program of the published algorithms.
  aprx::Random zero(0);
  CHECK(zero.next() == 11091344671253066420U);
  CHECK(zero.next() == 13793997310169335082U);
  CHECK(zero.next() == 1900383378846508768U);
  aprx::Random other(42);
  CHECK(other.next() == 1546998764402558742U);
  CHECK(other.next() == 6990951692964543102U);
}

TEST_CASE("the unit interval is half open and evenly filled") {
  aprx::Random random(7);
  double sum = 0;
  double lowest = 1;
  double highest = 0;
  for (int i = 0; i < 100000; ++i) {
    const double x = random.next_unit();
    sum += x;
    lowest = x < lowest ? x : lowest;
    highest = x > highest ? x : highest;
  }
  CHECK(lowest >= 0.0);
  CHECK(lowest < 0.001);
  CHECK(highest < 1.0);
  CHECK(highest > 0.999);
  CHECK(sum / 100000 > 0.497);
  CHECK(sum / 100000 < 0.503);
}
