// Four small programs in one, with two C++ threads each; see posix.c.
#include <pthread.h>

#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

#ifdef FIXED
#define APART_TOO alignas(64)
static const size_t STRIDE = 8;
#else
#define APART_TOO
static const size_t STRIDE = 1;
#endif
static const int STEPS = 3000;

struct alignas(128) progress {
    APART_TOO std::atomic<long> sent; // one thread uses `sent`, and the other one `received`
    APART_TOO std::atomic<long> received;
};
progress false_progress;

long *false_results; // the elements of a vector, one per thread

struct alignas(128) flag {
    std::atomic<long> value;
};
flag true_flag; // used by both threads

struct alignas(128) log_book {
    long entries[16];
};
log_book true_log; // written by both threads in turn
alignas(128) static std::mutex mutex;
alignas(128) static int position;

static void report_progress(int own) {
    for (int i = 0; i < STEPS; i++)
        (own ? false_progress.received : false_progress.sent)
            .fetch_add(1, std::memory_order_relaxed);
}

static void sum_up(int own) {
    for (int i = 0; i < STEPS; i++)
        *static_cast<volatile long *>(&false_results[static_cast<size_t>(own) * STRIDE]) += i;
}

static void set_flag(int own) {
    for (int i = 0; i < STEPS; i++)
        true_flag.value.fetch_add(own, std::memory_order_relaxed);
}

static void write_log(int own) {
    for (int i = 0; i < STEPS / 60; i++) {
        std::lock_guard<std::mutex> held(mutex);
        long *entry = &true_log.entries[position % 2];
        *entry += own;
        for (int k = 2; k < 16; k++)
            true_log.entries[k] += *entry;
    }
}

static pthread_barrier_t together;

// Waits until both threads exist before one of them begins, because the number of a thread
// that has ended can be given to another thread.
static void run(void (*program)(int), int own) {
    pthread_barrier_wait(&together);
    program(own);
}

int main() {
    pthread_barrier_init(&together, nullptr, 2);
    std::vector<long> results(24);
    false_results = results.data();
    do
        false_results++; // not the first element, which lies beside data of the
                         // allocator
    while (reinterpret_cast<size_t>(false_results) % 64 > 48); // two elements share a block
    for (auto program : {report_progress, sum_up, set_flag, write_log}) {
        std::thread first(run, program, 0), second(run, program, 1);
        first.join();
        second.join();
    }
}
