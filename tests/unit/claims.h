// Tables of claims: each row overrides fields of a description that is taken, and has the reason for which it is refused; NULL: it is not.
#pragma once

#include "operators/claims/claim.h"
#include "unit.h"

#pragma GCC diagnostic ignored "-Woverride-init"
#ifdef __clang__
#pragma clang diagnostic ignored "-Winitializer-overrides"
#endif

#define S4 TVMQ_TYPE_S4
#define S8 TVMQ_TYPE_S8
#define U8 TVMQ_TYPE_U8
#define S16 TVMQ_TYPE_S16
#define S32 TVMQ_TYPE_S32
#define S64 TVMQ_TYPE_S64
#define F32 TVMQ_TYPE_F32
#define BOOL TVMQ_TYPE_BOOL
#define OTHER_TYPE TVMQ_TYPE_OTHER

// Checks an array of {desc, reason}.
#define CHECK_CLAIMS(claim, cases)                                  \
  for (size_t i = 0; i < N_ELEMENTS(cases); i++) {                  \
    char name[64];                                                  \
    snprintf(name, sizeof name, "%s, case %zu", #cases, i);         \
    CHECK_STRING(claim(&(cases)[i].desc), (cases)[i].reason, name); \
  }
