// CONCATENATION: every reason for which it is refused.
#include <math.h>

#include "claims.h"

// clang-format off
#define OF(...) {.type = S8, .n_in = 3, .in = {{0.5f, 3}, {0.5f, 3}, {0.5f, 3}}, .out = {0.5f, 3}, .rows = 10, .row_bytes = {4, 8, 6}, __VA_ARGS__}
// clang-format on
#define POINTS(A, B, C, OUT) .in = {{0.5f, A}, {0.25f, B}, {1, C}}, .out = {2, OUT}

static const struct {
  struct tvmq_concatenation_desc desc;
  const char *reason;
} cases[] = {
    {OF(), NULL},
    {OF(.type = U8), NULL},
    {OF(.n_in = 1), NULL},
    {OF(.row_bytes = {0, 2, 0}), NULL},
    {OF(.in = {{0}, {0}, {0}}, .out = {0}), NULL},  // not quantized
    {OF(.type = S16, POINTS(0, 0, 0, 0)), NULL},    // copied for all that
    {OF(.rows = INT32_MAX, .row_bytes = {1}), NULL},
    {OF(.rows = INT32_MAX, .type = S16, .row_bytes = {2}, POINTS(0, 0, 0, 0)), NULL},

    {OF(.type = F32), NULL},
    {OF(.type = S32), NULL},
    {OF(.type = S4), "activations are not int8, uint8 or int16"},
    {OF(.activation = TVMQ_ACTIVATION_RELU), "fused_activation_function is not NONE"},
    {OF(.activation = TVMQ_ACTIVATION_OTHER), "fused_activation_function is not NONE"},
    {OF(.rows = 0), "empty tensor"},
    {OF(.rows = INT32_MAX, .row_bytes = {1, 1}), "tensor has more than 2^31 - 1 elements"},
    {OF(.type = S16, POINTS(1, 1, 1, 1)), "int16 with a zero point other than 0"},
    {OF(.type = S16, POINTS(0, 0, 1, 0)), "input and output zero points differ"},
    {OF(.in[2].zero_point = 4), "input and output zero points differ"},
    {OF(.out.zero_point = 4), "input and output zero points differ"},
    {OF(.in[1].scale = 0.25f), "input and output scales differ"},
    {OF(.type = U8, .in[2].scale = 0.25f), NULL},  // by a table
    {OF(.type = U8, .in[2].zero_point = 255), NULL},
    {OF(.type = U8, .in[1] = {0x1.f79e88p-3f, 88}, .out = {0x1.52643cp-10f, 241}), "the result of rescaling an input depends on how the runtime was compiled"},
    {OF(.type = U8, .in[1] = {0x1p40f, 0}, .out = {0x1p-40f, 0}), "the result of rescaling an input depends on how the runtime was compiled"},
    {OF(.type = U8, .in[1].scale = 0), "input scale is not positive and finite"},
    {OF(.type = U8, .in[1].zero_point = -1), "input zero point is out of range for its type"},
    {OF(.type = U8, .out.scale = INFINITY), "output scale is not positive and finite"},
    {OF(.type = U8, .out.zero_point = 256), "output zero point is out of range for its type"},
    {OF(.out.scale = 0.5000001f), "input and output scales differ"},
};

int main(void) {
  CHECK_CLAIMS(tvmq_claim_concatenation, cases);
  return unit_report();
}
