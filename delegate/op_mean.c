// MEAN over height and width: what the reference rounds is a depthwise convolution by ones.
#include <string.h>

#include "arith.h"
#include "claim.h"
#include "mean_conv.h"
#include "memory.h"
#include "op.h"

struct mean {
  struct tvmq_op *depthwise;
  uint8_t *ones;
};

struct tvmq_conv_desc tvmq_mean_conv(const struct tvmq_mean_desc *desc) {
  static const float one = 1;
  return (struct tvmq_conv_desc){
      .depthwise = true,
      .in_type = desc->in_type,
      .filter_type = desc->in_type,
      .out_type = desc->out_type,
      .bias_type = TVMQ_TYPE_S32,
      .batch = desc->batch,
      .in_h = desc->in_h,
      .in_w = desc->in_w,
      .in_c = desc->channels,
      .out_h = 1,
      .out_w = 1,
      .out_c = desc->channels,
      .filter_h = desc->in_h,
      .filter_w = desc->in_w,
      .filter_c = 1,
      .stride_h = 1,
      .stride_w = 1,
      .dilation_h = 1,
      .dilation_w = 1,
      .depth_multiplier = 1,
      .padding = TVMQ_PADDING_VALID,
      .in = desc->in,
      .out = desc->out,
      .filter_scales = &one,
      .n_filter_scales = 1,
      .mean_of = desc->in_h * desc->in_w,
  };
}

static const char *claim(const union tvmq_desc *desc) { return tvmq_claim_mean(&desc->mean); }

static const char *plan(struct tvmq_op **op, const union tvmq_desc *desc, const struct tvmq_env *env) {
  if (!*op) *op = tvmq_alloc(sizeof(struct mean));
  struct mean *m = (struct mean *)*op;
  if (!m) return "out of memory";
  union tvmq_desc conv = {.conv = tvmq_mean_conv(&desc->mean)};
  const size_t n = (size_t)conv.conv.mean_of * (size_t)conv.conv.in_c;
  tvmq_free(m->ones);
  m->ones = tvmq_alloc(n);
  if (!m->ones) return "out of memory";
  memset(m->ones, 1, n);
  conv.conv.filter = m->ones;
  return tvmq_op_depthwise.plan(&m->depthwise, &conv, env);
}

static void run(struct tvmq_op *op, const void *const *in, void *out) { tvmq_op_depthwise.run(((struct mean *)op)->depthwise, in, out); }

static void release(struct tvmq_op *op) {
  struct mean *m = (struct mean *)op;
  if (!m) return;
  tvmq_op_depthwise.release(m->depthwise);
  tvmq_free(m->ones);
  tvmq_free(m);
}

static void info(const struct tvmq_op *op, struct tvmq_op_info *out) {
  tvmq_op_depthwise.info(((const struct mean *)op)->depthwise, out);
  out->macs = 0;  // a mean has none
}

const struct tvmq_op_class tvmq_op_mean = {.claim = claim, .plan = plan, .run = run, .release = release, .info = info};
