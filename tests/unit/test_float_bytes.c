// A table that is proven is what any library makes of it whose functions are off by up to four units in the last place; most tables are proven.
#include <math.h>

#include "exact/float_bytes.h"
#include "unit.h"

static unsigned long long state = 1;

// A result of the library: the float next to the exact one, or up to four away. Extremes are drawn as often as all others together.
static float off_by_units(double exact) {
  static const int units[] = {-4, 4, -4, 4, -3, -2, -1, 0, 1, 2, 3};
  const int n = units[unit_random(&state) % N_ELEMENTS(units)];
  float value = (float)exact;
  for (int i = 0; i < (n < 0 ? -n : n); i++) {
    const float next = nextafterf(value, n < 0 ? -INFINITY : INFINITY);
    int exponent;
    frexp(exact, &exponent);
    if (fabs((double)next - exact) > ldexp(4, exponent - 24)) break;
    value = next;
  }
  return value;
}

static float within_one(float x) { return fminf(fmaxf(x, -1), 1); }
static float logistic(float v) { return 1.0f / (1.0f + (v == 0 ? 1 : off_by_units(exp(-(double)v)))); }
static float hyperbolic_tangent(float v) { return v == 0 ? 0 : within_one(off_by_units(tanh((double)v))); }
static float exponential(float v) { return v == 0 ? 1 : off_by_units(exp((double)v)); }
static float logarithm(float v) { return v > 0 ? off_by_units(log((double)v)) : -INFINITY; }
static float elu(float v) { return v < 0 ? off_by_units(expm1((double)v)) : v; }
static float gelu(float v) { return 0.5f * v * (v == 0 ? 1 : off_by_units(erfc((double)(v * -0.70710678118654752440f)))); }

static float gelu_tanh(float v) {
  volatile const float square = 0.044715f * v * v;
  volatile const float cubic = square * v;
  const float sum = unit_random(&state) % 2 ? v + cubic : fmaf(square, v, v);
  return 0.5f * v * (1 + hyperbolic_tangent(0.79788456080286535588f * sum));
}

static const struct {
  const char *name;
  float (*value)(float v);
  float out_scale;  // 0: any
} functions[] = {
    [TVMQ_TABLE_LOGISTIC] = {"logistic", logistic, 1.0f / 256},
    [TVMQ_TABLE_TANH] = {"tanh", hyperbolic_tangent, 0},
    [TVMQ_TABLE_GELU] = {"gelu", gelu, 0},
    [TVMQ_TABLE_GELU_TANH] = {"gelu tanh", gelu_tanh, 0},
    [TVMQ_TABLE_EXP] = {"exp", exponential, 0},
    [TVMQ_TABLE_LOG] = {"log", logarithm, 0},
    [TVMQ_TABLE_ELU] = {"elu", elu, 0},
};

static float between(float low, float high) { return low * powf(high / low, (float)(unit_random(&state) % 100000) / 100000); }

static uint8_t byte_of(float value, struct tvmq_float_bytes out) {
  const struct tvmq_range range = tvmq_type_range(out.type);
  const float inverse = 1.0f / out.scale;
  return (uint8_t)(int32_t)fminf(fmaxf(roundf(value * inverse) + (float)out.zero_point, (float)range.min), (float)range.max);
}

static bool check_table(enum tvmq_table_function function) {
  const bool is_signed = unit_random(&state) % 2;
  const enum tvmq_type type = is_signed ? TVMQ_TYPE_S8 : TVMQ_TYPE_U8;
  const int32_t middle = is_signed ? 0 : 128;
  const float widest = function == TVMQ_TABLE_EXP ? 0.05f : 0.2f;
  const struct tvmq_float_bytes in = {type, between(0.005f, widest), middle + (int32_t)(unit_random(&state) % 100) - 50};
  const float given = functions[function].out_scale;
  const struct tvmq_float_bytes out = {type, given > 0 ? given : between(0.004f, 0.1f), middle + (int32_t)(unit_random(&state) % 200) - 100};
  uint8_t table[256];
  if (tvmq_float_table(function, in, out, table) != TVMQ_TABLE_OF_ALL_LIBRARIES) return false;
  enum { LIBRARIES = 8 };
  int wrong = 0;
  for (int i = 0; i < LIBRARIES * 256; i++) {
    const float v = in.scale * (float)(tvmq_byte_value(type, (uint8_t)i) - in.zero_point);
    wrong += byte_of(functions[function].value(v), out) != table[i % 256];
  }
  CHECK(wrong == 0, "%s, scales %a -> %a, zero points %d -> %d: %d", functions[function].name, (double)in.scale, (double)out.scale, in.zero_point,
        out.zero_point, wrong);
  return true;
}

// Outputs that lie at a tie of themselves, which the process's library decides, and those beyond int32.
static void check_scopes(void) {
  const struct tvmq_float_bytes in = {TVMQ_TYPE_S8, 0x1p-6f, 0};
  uint8_t table[256];
  const struct tvmq_float_bytes tie = {TVMQ_TYPE_S8, (float)(tanh(1) / 50.5), 0}, no_tie = {TVMQ_TYPE_S8, (float)(tanh(1) / 50.4), 0};
  CHECK(tvmq_float_table(TVMQ_TABLE_TANH, in, tie, table) == TVMQ_TABLE_OF_THIS_LIBRARY, "tanh(1) at a tie");
  CHECK((int8_t)table[64] == (int8_t)roundf(tanhf(1) * (1 / tie.scale)), "tanh(1): %d", (int8_t)table[64]);
  CHECK(tvmq_float_table(TVMQ_TABLE_TANH, in, no_tie, table) == TVMQ_TABLE_OF_ALL_LIBRARIES, "tanh(1) beside it");
  const struct tvmq_float_bytes wide = {TVMQ_TYPE_S8, 1, 0};
  CHECK(tvmq_float_table(TVMQ_TABLE_EXP, wide, (struct tvmq_float_bytes){TVMQ_TYPE_S8, 1, 0}, table) == TVMQ_TABLE_UNKNOWN, "exp(127)");
  const struct tvmq_float_bytes chances = {TVMQ_TYPE_S8, 0x1p-8f, -128};
  CHECK(tvmq_float_table(TVMQ_TABLE_LOGISTIC, wide, chances, table) == TVMQ_TABLE_OF_ALL_LIBRARIES, "exp(127) in a quotient");
  CHECK(table[0] == (uint8_t)0 && table[127] == 127 && table[128] == (uint8_t)-128, "logistic: %d, %d, %d", table[0], table[127], table[128]);
}

int main(void) {
  enum { ROUNDS = 300 };
  for (size_t function = 0; function < N_ELEMENTS(functions); function++) {
    int proven = 0;
    for (int i = 0; i < ROUNDS; i++) proven += check_table((enum tvmq_table_function)function);
    CHECK(proven > ROUNDS * 95 / 100, "%s: %d of %d tables are proven", functions[function].name, proven, ROUNDS);
    printf("%s: %d of %d tables are proven\n", functions[function].name, proven, ROUNDS);
  }
  check_scopes();
  return unit_report();
}
