// Portable gemm: the fallback for any processor. Products of int8 and of int16 by int8 both fit int32; sums wrap.
#include <string.h>

#include "arithmetic/stage.h"
#include "kernels/kernel.h"

#define SYMBOL tvmq_gemm_s8_4x8__c
#define MR 4
#define NR 8
#define IN uint8_t
#define OUT uint8_t
#define ACC int32_t
#define UNSIGNED_ACC uint32_t
#define LOAD(x) ((int8_t)((x) ^ args->in_flip))
#define STORE(acc, multiplier, shift) ((uint8_t)(tvmq_stage_s32(args->stage, acc, multiplier, shift) ^ args->stage->flip))
#include "kernels/portable/gemm_c_template.h"

// 16x8 with an int64 bias: int64 accumulators and their own rescaling.
#define SYMBOL tvmq_gemm_s16_4x8a64__c
#define MR 4
#define NR 8
#define IN int16_t
#define OUT int16_t
#define ACC int64_t
#define UNSIGNED_ACC uint64_t
#define LOAD(x) (x)
#define STORE(acc, multiplier, shift) ((int16_t)tvmq_stage_s64(args->stage, acc, multiplier, shift))
#include "kernels/portable/gemm_c_template.h"

// 16x8 with an int32 bias: int32 accumulators, rescaled like those of int8.
#define SYMBOL tvmq_gemm_s16_4x8__c
#define MR 4
#define NR 8
#define IN int16_t
#define OUT int16_t
#define ACC int32_t
#define UNSIGNED_ACC uint32_t
#define LOAD(x) (x)
#define STORE(acc, multiplier, shift) ((int16_t)tvmq_stage_s32(args->stage, acc, multiplier, shift))
#include "kernels/portable/gemm_c_template.h"
