"""cuzk selftest: the CPU is a device too; names that are none."""
import json
import unittest

from program import ProgramTest


class Selftest(ProgramTest):
    def test_the_cpu_makes_the_known_proofs(self):
        done = self.cuzk("selftest", "--device", "cpu")
        self.assertRegex(done.stdout, r"^cpu: ok, [0-9.]+ m?s\n$")

    def test_json(self):
        (device,) = json.loads(self.cuzk("selftest", "--device", "cpu", "--json").stdout)["devices"]
        self.assertEqual((device["device"], device["ok"], device["error"]), ("cpu", True, None))
        self.assertGreater(device["seconds"], 0)

    def test_all_devices_are_the_cpu_and_what_the_driver_sees(self):
        devices = json.loads(self.cuzk("selftest", "--json").stdout)["devices"]
        self.assertEqual(devices[0]["device"], "cpu")
        self.assertTrue(all(device["ok"] for device in devices))

    def test_a_device_that_is_not_there(self):
        done = self.cuzk("selftest", "--device", "GPU-none", status=None)
        self.assertIn(done.returncode, (2, 4))  # where there is a driver, where there is none
        self.assertIn("GPU-none", done.stderr)


if __name__ == "__main__":
    unittest.main()
