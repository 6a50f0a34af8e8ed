// Which file the kernels of a graph are in, and the hash of its code.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/loaded_file.h"
#include "tflite/kernel_code.h"
#include "unit.h"

enum { NODES = 3 };

// A graph of nodes with these kernels.
struct graph {
  TfLiteContext context;
  TfLiteRegistration registrations[NODES];
  TfLiteNode node;
  TfLiteIntArray *plan;
};

static struct graph *graph_of(TfLiteContext *context) { return (struct graph *)context; }

static TfLiteStatus own_kernel(TfLiteContext *context, TfLiteNode *node) { return context != NULL && node != NULL ? kTfLiteOk : kTfLiteError; }

static TfLiteStatus get_plan(TfLiteContext *context, TfLiteIntArray **plan) {
  *plan = graph_of(context)->plan;
  return kTfLiteOk;
}

static TfLiteStatus get_node(TfLiteContext *context, int index, TfLiteNode **node, TfLiteRegistration **registration) {
  *node = &graph_of(context)->node;
  *registration = &graph_of(context)->registrations[index];
  return kTfLiteOk;
}

// Returns what is found of a graph with up to three kernels; the third is that of a custom operator.
static const char *read_code(const void *first, const void *second, const void *custom, struct tvmq_kernel_code *code) {
  const void *kernels[NODES] = {first, second, custom};
  struct graph graph = {.context = {.GetExecutionPlan = get_plan, .GetNodeAndRegistration = get_node}};
  graph.plan = malloc(sizeof *graph.plan + NODES * sizeof graph.plan->data[0]);
  graph.plan->size = NODES;
  for (int i = 0; i < NODES; i++) {
    graph.registrations[i] = (TfLiteRegistration){.custom_name = i == 2 ? "Custom" : NULL};
    memcpy(&graph.registrations[i].invoke, &kernels[i], sizeof kernels[i]);
    graph.plan->data[i] = i;
  }
  const char *why = tvmq_kernel_code_read(&graph.context, code);
  free(graph.plan);
  return why;
}

static bool same(const struct tvmq_kernel_code *a, const struct tvmq_kernel_code *b) {
  return a->bytes == b->bytes && tvmq_key_equal(&a->key, &b->key) && strcmp(a->file, b->file) == 0;
}

static void check_code(void) {
  const void *own = (const void *)(uintptr_t)own_kernel, *library = stdin;  // an object of the C library
  char *nowhere = malloc(1 << 20);
  struct tvmq_kernel_code code, other, again;
  CHECK_STRING(read_code(own, own, NULL, &code), NULL, "kernels of the program");
  CHECK(code.bytes > 0 && code.file[0] == '\0', "%zu bytes in \"%s\"", code.bytes, code.file);
  CHECK_STRING(read_code(library, NULL, NULL, &other), NULL, "kernels of a library");
  CHECK(other.bytes > 0 && strstr(other.file, ".so") != NULL && strchr(other.file, '/') == NULL, "%zu bytes in \"%s\"", other.bytes, other.file);
  CHECK(!tvmq_key_equal(&code.key, &other.key), "hashes of different files");
  CHECK_STRING(read_code(NULL, own, nowhere, &again), NULL, "a node without kernel, and a custom operator");
  CHECK(same(&code, &again), "the same file gives the same again");
  CHECK_STRING(read_code(own, library, NULL, &again), "its kernels are in several files", "two files");
  CHECK_STRING(read_code(nowhere, own, NULL, &again), "its kernels are in no file", "memory of no file");
  CHECK_STRING(read_code(NULL, NULL, own, &again), "the graph has no kernels", "a custom operator alone");
  free(nowhere);
}

static void check_files(void) {
  struct tvmq_loaded_file file;
  const int local = 0;
  CHECK(!tvmq_loaded_file_find(&local, &file), "the stack is in no file");
  if (!CHECK(tvmq_loaded_file_find(&unit_passed, &file), "data is in a file")) return;
  CHECK(tvmq_loaded_file_contains(&file, &unit_passed) && tvmq_loaded_file_contains(&file, (const void *)(uintptr_t)check_code), "data and code");
  CHECK(!tvmq_loaded_file_contains(&file, stdin), "another file");
  CHECK(tvmq_loaded_file_segment(&file, TVMQ_SEGMENT_CODE, 0).bytes > 0 && tvmq_loaded_file_segment(&file, TVMQ_SEGMENT_CODE, 99).bytes == 0, "segments");
}

// ---- threads, and processes that they fork

enum { THREADS = 3, CHILDREN = 20 };

// Kernels of the program and of a library, and the code that they have.
static const void *kernels[2];
static struct tvmq_kernel_code codes[2];
static atomic_bool stopped;

static bool found_again(int which) {
  struct tvmq_kernel_code code;
  return read_code(kernels[which], NULL, NULL, &code) == NULL && same(&code, &codes[which]);
}

// Reads both codes in turn, so that the mutex is almost always held.
static void *work(void *wrong) {
  while (!atomic_load(&stopped)) *(int *)wrong += !found_again(0) + !found_again(1);
  return NULL;
}

static void check_threads(void) {
  kernels[0] = (const void *)(uintptr_t)own_kernel, kernels[1] = stdin;
  for (int i = 0; i < 2; i++) CHECK_STRING(read_code(kernels[i], NULL, NULL, &codes[i]), NULL, "kernels");
  pthread_t threads[THREADS];
  int wrong[THREADS] = {0};
  for (int i = 0; i < THREADS; i++) CHECK(pthread_create(&threads[i], NULL, work, &wrong[i]) == 0, "thread %d", i);
  for (int i = 0; i < CHILDREN; i++) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(60);
      _exit(found_again(0) && found_again(1) ? 0 : 1);
    }
    int status = -1;
    CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0, "child %d", i);
  }
  atomic_store(&stopped, true);
  for (int i = 0; i < THREADS; i++) {
    const bool joined = pthread_join(threads[i], NULL) == 0;
    CHECK(joined && wrong[i] == 0, "thread %d: %d wrong", i, wrong[i]);
  }
}

int main(void) {
  check_code();
  check_files();
  check_threads();
  return unit_report();
}
