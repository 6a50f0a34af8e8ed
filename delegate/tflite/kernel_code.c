#include "tflite/kernel_code.h"

#include <pthread.h>
#include <string.h>

#include "base/loaded_file.h"
#include "base/text.h"

enum { MAX_SEGMENTS = 8 };

// A kernel's function. NULL if the node has none, or is a custom operator, whose kernels may be anywhere.
static const void *kernel_of(TfLiteContext *context, int index) {
  TfLiteNode *node;
  TfLiteRegistration *registration;
  if (context->GetNodeAndRegistration(context, index, &node, &registration) != kTfLiteOk) return NULL;
  return registration->custom_name == NULL ? (const void *)(uintptr_t)registration->invoke : NULL;
}

// Finds the one file that contains the kernels.
static const char *find_file(TfLiteContext *context, struct tvmq_loaded_file *file) {
  TfLiteIntArray *plan;
  bool found = false;
  if (context->GetExecutionPlan(context, &plan) != kTfLiteOk) return "the graph has no execution plan";
  for (int i = 0; i < plan->size; i++) {
    const void *kernel = kernel_of(context, plan->data[i]);
    if (kernel == NULL) continue;
    if (!found && !tvmq_loaded_file_find(kernel, file)) return "its kernels are in no file";
    found = true;
    if (!tvmq_loaded_file_contains(file, kernel)) return "its kernels are in several files";
  }
  return found ? NULL : "the graph has no kernels";
}

// The seed is fixed, so that hashes can be compared with a table.
static const struct tvmq_hasher *fixed_hasher(void) {
  static struct tvmq_hasher hasher;
  static const uint64_t seed[2] = {1, 2};
  if (hasher.seed[0] == 0) tvmq_hasher_init(&hasher, seed);
  return &hasher;
}

static const char *hash_file(const struct tvmq_loaded_file *file, struct tvmq_kernel_code *code) {
  struct {
    uint64_t start, bytes;
    struct tvmq_key key;
  } parts[MAX_SEGMENTS];
  struct tvmq_segment segment;
  int n = 0;
  for (; (segment = tvmq_loaded_file_segment(file, TVMQ_SEGMENT_CODE, n)).bytes > 0; n++) {
    if (n == MAX_SEGMENTS) return "its code has too many segments";
    parts[n].start = (uintptr_t)segment.start - file->base;
    parts[n].bytes = segment.bytes;
    parts[n].key = tvmq_content(fixed_hasher(), segment.start, segment.bytes);
    code->bytes += segment.bytes;
  }
  code->key = tvmq_content(fixed_hasher(), parts, (size_t)n * sizeof parts[0]);
  const char *slash = strrchr(file->path, '/');
  tvmq_say_escaped(&(struct tvmq_text){.at = code->file, .size = sizeof code->file}, slash != NULL ? slash + 1 : file->path);
  return n > 0 ? NULL : "its code cannot be read";
}

static bool same_file(const struct tvmq_loaded_file *a, const struct tvmq_loaded_file *b) {
  return a->headers == b->headers && a->base == b->base && a->unloads == b->unloads && a->unloads != TVMQ_UNLOADS_UNKNOWN;
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

// Hold the mutex during fork(), so that it is unlocked in the child.
static void lock(void) { pthread_mutex_lock(&mutex); }
static void unlock(void) { pthread_mutex_unlock(&mutex); }
static void watch_forks(void) { pthread_atfork(lock, unlock, unlock); }

const char *tvmq_kernel_code_read(TfLiteContext *context, struct tvmq_kernel_code *code) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  static struct tvmq_loaded_file last;  // hashing takes milliseconds, and a process mostly has one runtime
  static struct tvmq_kernel_code last_code;
  struct tvmq_loaded_file file;
  *code = (struct tvmq_kernel_code){.bytes = 0};
  const char *why = find_file(context, &file);
  if (why != NULL) return why;
  pthread_once(&once, watch_forks);
  lock();
  if (last.headers != NULL && same_file(&file, &last)) {
    *code = last_code;
  } else {
    why = hash_file(&file, code);
    last = why == NULL ? file : (struct tvmq_loaded_file){.base = 0};
    last_code = *code;
  }
  unlock();
  return why;
}
