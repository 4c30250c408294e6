// Uses exceptions, constructors and virtual functions, each with a walk through memory whose calling context is
// known.
#include "trail.h"

#include <stdexcept>

#define FUNCTION __attribute__((noinline)) static

struct scope {
    explicit scope(const char *name) { enter(name); }
    ~scope() { leave(); }
};

struct base {
    virtual ~base() {}
    virtual void act() = 0;
};

struct first : base {
    __attribute__((noinline)) void act() override {
        scope s("act");
        WALK(1, 100);
    }
};

struct second : base {
    __attribute__((noinline)) void act() override {
        scope s("act");
        WALK(2, 110);
    }
};

FUNCTION void fail(int depth) {
    scope s("fail");
    WALK(3, 120 + depth);
    if (depth == 0)
        throw std::runtime_error("planned");
    fail(depth - 1);
    WALK(4, 1); // is never reached
}

FUNCTION void rethrow(int depth) {
    scope s("rethrow");
    try {
        fail(depth);
    } catch (const std::exception &) {
        WALK(5, 130);
        throw;
    }
}

FUNCTION void handle() {
    scope s("handle");
    for (int depth = 0; depth < 4; depth++) {
        try {
            rethrow(depth);
        } catch (const std::exception &) {
            WALK(6, 140);
        }
        WALK(7, 150);
    }
}

int main() {
    enter("main");
    first a;
    second b;
    base *both[] = {&a, &b};
    for (base *one : both)
        one->act();
    handle();
    WALK(8, 160);
    print_walks();
    leave();
}
