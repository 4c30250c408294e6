// Starts C++ threads that use the same data in a known order, because of a mutex, a condition variable and
// futures.
#include <condition_variable>
#include <cstdio>
#include <future>
#include <mutex>
#include <thread>

static const int STEPS = 40;
alignas(64) static volatile long data[8];
static std::mutex mutex;
static std::condition_variable turned;
static int turn;

static void use(int own) {
    for (int i = 0; i < 8; i++)
        data[i] = data[i] + own + i;
}

static void lock(int own) {
    for (int i = 0; i < STEPS; i++) {
        std::lock_guard<std::mutex> held(mutex);
        use(own);
    }
}

static void alternate(int own) {
    for (int i = 0; i < STEPS; i++) {
        std::unique_lock<std::mutex> held(mutex);
        turned.wait(held, [own] { return turn == own; });
        use(own);
        turn = 1 - own;
        turned.notify_one();
    }
}

static void run_two(void (*run)(int)) {
    std::thread a(run, 0), b(run, 1);
    a.join();
    b.join();
}

int main() {
    run_two(lock);
    run_two(alternate);
    for (int i = 0; i < STEPS / 4; i++) {
        use(1);
        std::async(std::launch::async, use, 2).get();
    }
    std::printf("%p %zu\n", static_cast<void *>(const_cast<long *>(data)), sizeof data);
}
