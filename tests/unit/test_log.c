// Messages of the delegate on stderr: each severity has messages of its own, and shows those above it.
#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/memory.h"
#include "fake_network.h"
#include "unit.h"

// ---- stderr, taken into memory

static int real_stderr;

static void catch_stderr(void) {
  FILE *file = tmpfile();
  if (!CHECK(file != NULL, "no temporary file")) exit(1);
  real_stderr = dup(STDERR_FILENO);
  dup2(fileno(file), STDERR_FILENO);
  fclose(file);
}

static void release_stderr(char *text, size_t size) {
  lseek(STDERR_FILENO, 0, SEEK_SET);
  const ssize_t n = read(STDERR_FILENO, text, size - 1);
  text[n > 0 ? n : 0] = '\0';
  dup2(real_stderr, STDERR_FILENO);
  close(real_stderr);
}

// ---- lives of a delegate, and what they are about

static void live(struct network *network, TfLiteDelegate *delegate) {
  fake_apply(network->graph, delegate);
  fake_allocate(network->graph);
  fake_destroy(network->fake);
  network_delegate_destroy(delegate);
}

static void resized(const char *severity) {
  struct network network = network_create(true);
  TfLiteDelegate *delegate = network_delegate((const char *const[]){"log_severity", severity, NULL});
  fake_apply(network.graph, delegate);
  fake_resize(network.graph, network.in, (int[]){2, 20, 20, NETWORK_C, -1});
  fake_allocate(network.graph);
  fake_destroy(network.fake);
  network_delegate_destroy(delegate);
}

// From the n-th allocation on, once the delegate is made. The first holds the records of nodes; which one the trace is, find_trace() looks up.
static void no_memory(const char *severity, size_t n) {
  struct network network = network_create(false);
  TfLiteDelegate *delegate = network_delegate((const char *const[]){"log_severity", severity, "profile", "true", NULL});
  tvmq_alloc_fail_at(n);
  live(&network, delegate);
  tvmq_alloc_fail_at(0);
}
static size_t trace_allocation;
static void no_trace(const char *severity) { no_memory(severity, trace_allocation); }
static void no_records(const char *severity) { no_memory(severity, 1); }

static int count(const char *text, const char *what) {
  int n = 0;
  for (; (text = strstr(text, what)) != NULL; text += strlen(what)) n++;
  return n;
}

// The first allocation without which there is everything but a trace.
static void find_trace(void) {
  enum { MOST = 100 };
  static char text[1 << 14];
  text[0] = '\0';
  while (strstr(text, "no memory for a trace") == NULL && trace_allocation < MOST) {
    catch_stderr();
    no_memory("warning", ++trace_allocation);
    release_stderr(text, sizeof text);
  }
}

// ---- what stderr may be

// A pipe that nobody reads, and a file at its limit: messages are lost, and the process goes on.
static void check_unwritable(void) {
  int ends[2];
  struct rlimit before;
  if (!CHECK(pipe(ends) == 0 && getrlimit(RLIMIT_FSIZE, &before) == 0, "a pipe and the limit of files")) return;
  signal(SIGPIPE, SIG_DFL);
  signal(SIGXFSZ, SIG_DFL);
  catch_stderr();
  const int file = dup(STDERR_FILENO);
  close(ends[0]);
  dup2(ends[1], STDERR_FILENO);
  close(ends[1]);
  resized("verbose");
  dup2(file, STDERR_FILENO);
  close(file);
  setrlimit(RLIMIT_FSIZE, &(struct rlimit){0, before.rlim_max});
  resized("verbose");
  setrlimit(RLIMIT_FSIZE, &before);
  char text[64];
  release_stderr(text, sizeof text);
  CHECK_STRING(text, "", "what could be written");
}

int main(void) {
  check_unwritable();
  find_trace();
  static const struct {
    const char *name;
    void (*run)(const char *severity);
    const char *says;
    int messages[4];  // VERBOSE to ERROR
  } cases[] = {
      // Three nodes when they are claimed, and again for their new size; the runtime, what is taken, and the one that is not.
      {"resized", resized, "node 0 (CONV_2D): ", {6, 3, 0, 0}},
      {"no memory for a trace", no_trace, "no memory for a trace", {0, 5, 1, 0}},
      {"no memory", no_records, "out of memory; nothing is delegated", {0, 1, 0, 1}},
  };
  static const char *const severities[] = {"verbose", "info", "warning", "error", "silent"}, *const labels[] = {"VERBOSE: ", "INFO: ", "WARNING: ", "ERROR: "};
  for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
    for (size_t j = 0; j < N_ELEMENTS(severities); j++) {
      static char text[1 << 14];
      catch_stderr();
      cases[i].run(severities[j]);
      release_stderr(text, sizeof text);
      for (size_t k = 0; k < N_ELEMENTS(labels); k++) {
        const int wanted = k >= j ? cases[i].messages[k] : 0, got = count(text, labels[k]);
        CHECK(got == wanted, "%s, %s: %d of %s instead of %d:\n%s", cases[i].name, severities[j], got, labels[k], wanted, text);
      }
      CHECK(j > 0 || strstr(text, cases[i].says) != NULL, "%s: %s", cases[i].name, text);
    }
  }
  return unit_report();
}
