// Element types of tensors.
#pragma once

enum tvmq_type { TVMQ_TYPE_OTHER, TVMQ_TYPE_S8, TVMQ_TYPE_U8, TVMQ_TYPE_S16, TVMQ_TYPE_S32, TVMQ_TYPE_S64, TVMQ_TYPE_F32, TVMQ_TYPE_S4 };
