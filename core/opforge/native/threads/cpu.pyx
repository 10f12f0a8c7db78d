"""Instruction sets of this machine's processor, from the compiler's run-time library."""

cdef extern from *:
    """
    #if (defined(__x86_64__) || defined(__i386__)) && defined(__GNUC__)
    #define OPFORGE_CPU_HAS(feature) (__builtin_cpu_supports(feature) != 0)
    static void opforge_cpu_init(void) { __builtin_cpu_init(); }
    #else
    #define OPFORGE_CPU_HAS(feature) 0
    static void opforge_cpu_init(void) {}
    #endif
    static int opforge_cpu_v3(void) {
        return OPFORGE_CPU_HAS("avx2") && OPFORGE_CPU_HAS("fma") && OPFORGE_CPU_HAS("bmi")
            && OPFORGE_CPU_HAS("bmi2") && OPFORGE_CPU_HAS("f16c") && OPFORGE_CPU_HAS("lzcnt");
    }
    static int opforge_cpu_v4(void) {
        return opforge_cpu_v3() && OPFORGE_CPU_HAS("avx512f") && OPFORGE_CPU_HAS("avx512bw")
            && OPFORGE_CPU_HAS("avx512cd") && OPFORGE_CPU_HAS("avx512dq")
            && OPFORGE_CPU_HAS("avx512vl");
    }
    """
    void opforge_cpu_init()
    bint opforge_cpu_v3()
    bint opforge_cpu_v4()


def supported():
    """Return the instruction sets that this processor supports, least capable first.

    Examples
    --------
    >>> supported()[0]
    'baseline'
    """
    opforge_cpu_init()
    names = ["baseline"]
    if opforge_cpu_v3():
        names.append("x86_64_v3")
    if opforge_cpu_v4():
        names.append("x86_64_v4")
    return names
