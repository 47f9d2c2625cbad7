"""check_kernels.py: registers and spills of kernels are read from the compiler's words and held against their limits."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "device"))
import check_kernels  # noqa: E402

KERNEL = "_ZN4cuzk4cuda3ntt4passINS_8DeviceFpINS_13Bn254FrParamsEEELj9EEEvT_"
LOG = f"""ptxas info    : Compiling entry function '{KERNEL}' for 'sm_90'
ptxas info    : Function properties for {KERNEL}
    16 bytes stack frame, 12 bytes spill stores, 8 bytes spill loads
ptxas info    : Function properties for _ZN4cuzk5twiceEv
    64 bytes stack frame, 640 bytes spill stores, 640 bytes spill loads
ptxas info    : Used 80 registers, used 1 barriers, 16 bytes stack
"""


class Kernels(unittest.TestCase):
    def faults(self, *limits):
        name, *figures = ("ntt::pass<DeviceFp<Bn254Fr>, 9u>", *[80, 20])
        return list(check_kernels.faults_of([(name, *figures)], list(limits)))

    def test_they_are_read_without_the_functions_that_they_call(self):
        self.assertEqual(list(check_kernels.kernels_of(LOG)), [(KERNEL, 80, 20)])

    def test_names_are_what_the_source_says(self):
        mangled = "void cuzk::cuda::ntt::pass<cuzk::DeviceFp<cuzk::Bn254FrParams>, 9u>(cuzk::DeviceFp<cuzk::Bn254FrParams>)"
        self.assertEqual(check_kernels.readable(mangled), "ntt::pass<DeviceFp<Bn254Fr>, 9u>")

    def test_within_its_limits(self):
        self.assertEqual(self.faults(("ntt::pass<*, 9u>", 80, 20)), [])

    def test_more_registers(self):
        self.assertEqual(self.faults(("ntt::pass<*>", 79, 20)),
                         ["ntt::pass<DeviceFp<Bn254Fr>, 9u>: 80 registers, the limit is 79 (ntt::pass<*>)"])

    def test_more_spills(self):
        self.assertIn("20 bytes spilled, the limit is 19", self.faults(("ntt::*", 80, 19))[0])

    def test_a_kernel_without_a_limit_and_a_limit_without_a_kernel(self):
        no_limit, no_kernel = self.faults(("msm::*", 80, 20))
        self.assertIn("it has no limit yet", no_limit)
        self.assertIn("msm::*: no kernel has this name", no_kernel)


if __name__ == "__main__":
    unittest.main()
