// Portable depthwise convolution: the fallback for any processor, any filter and stride.
#include <string.h>

#include "arithmetic/stage.h"
#include "kernels/kernel.h"

#define TILE_OF(symbol) symbol##_tile
#define TILE(symbol) TILE_OF(symbol)

#define SYMBOL tvmq_depthwise_s8_1x16__c
#define NR 16
#define IN uint8_t
#define OUT uint8_t
#define ACC int32_t
#define UNSIGNED_ACC uint32_t
#define LOAD(x) ((int8_t)((x) ^ args->in_flip))
#define STORE(acc, multiplier, shift) ((uint8_t)(tvmq_stage_s32(args->stage, acc, multiplier, shift) ^ args->stage->flip))
#include "kernels/portable/depthwise_c_template.h"

// 16x8: as in the reference, accumulators are int64 for every type of bias.
#define SYMBOL tvmq_depthwise_s16_1x16a64__c
#define NR 16
#define IN int16_t
#define OUT int16_t
#define ACC int64_t
#define UNSIGNED_ACC uint64_t
#define LOAD(x) (x)
#define STORE(acc, multiplier, shift) ((int16_t)tvmq_stage_s64(args->stage, acc, multiplier, shift))
#include "kernels/portable/depthwise_c_template.h"
