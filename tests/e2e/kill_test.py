"""Nothing that was accepted is lost when the process is killed, whatever it was doing (`make bench-kill`: 200 times)."""
import os
import random
import unittest

import kills


class KilledDaemon(unittest.TestCase):
    def test_loses_nothing_and_proves_nothing_twice(self):
        seed = int(os.environ.get("CUZK_SEED", random.SystemRandom().randrange(1 << 32)))
        kills.kill_and_judge(20, seed, lambda text: print(text, flush=True))


if __name__ == "__main__":
    unittest.main()
