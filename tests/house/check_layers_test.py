"""tools/check_layers.py names each kind of forbidden include, and accepts a tree without one."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))
import check_layers

TABLE = """
cuzk_layer(support LIBS tl::expected)
cuzk_layer(field ARITHMETIC DEPS support)
cuzk_layer(curve
           DEPS field PRIVATE_LIBS x)
cuzk_layer(formats DEPS curve)
"""


class CheckLayers(unittest.TestCase):
    def faults(self, files):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            (root / "CMakeLists.txt").write_text(TABLE)
            for name, text in {"src/support/result.h": "#pragma once\n", "src/curve/g1.h": "#pragma once\n", **files}.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
            return check_layers.check_tree(root)

    def assert_fault(self, files, part):
        faults = self.faults(files)
        self.assertEqual(len(faults), 1, faults)
        self.assertIn(part, faults[0])

    def test_accepts_a_clean_tree(self):
        self.assertEqual(
            self.faults(
                {
                    "src/formats/a.cpp": '#include "curve/g1.h"\n#include <simdjson.h>\n#include <vector>\n',
                    "src/formats/b.h": '#pragma once\n#include "support/result.h"\n#include <span>\n#include <sys/mman.h>\n',
                }
            ),
            [],
        )

    def test_an_include_against_the_edges(self):
        self.assert_fault({"src/support/a.cpp": '#include "curve/g1.h"\n'}, "no edge from support to curve")

    def test_an_include_that_climbs(self):
        self.assert_fault({"src/field/a.cpp": '#include "../curve/g1.h"\n'}, "climbs")
        self.assert_fault({"tests/field/a_test.cpp": '#include "../support/b.h"\n'}, "climbs")

    def test_an_include_without_its_layer(self):
        self.assert_fault({"src/curve/g1.cpp": '#include "g1.h"\n'}, "not of the form")

    def test_an_include_of_nothing(self):
        self.assert_fault({"src/curve/g1.cpp": '#include "curve/g2.h"\n'}, "does not exist")

    def test_third_party_outside_its_layer(self):
        self.assert_fault({"src/curve/a.cpp": "#include <simdjson.h>\n"}, "may not appear in curve")

    def test_third_party_in_a_header(self):
        self.assert_fault({"src/formats/a.h": "#pragma once\n#include <simdjson.h>\n"}, "may not appear in a header")

    def test_third_party_that_nobody_listed(self):
        self.assert_fault({"src/curve/a.cpp": "#include <boost/any.hpp>\n"}, "neither standard nor")

    def test_a_header_too_heavy(self):
        self.assert_fault({"src/curve/a.h": "#pragma once\n#include <iostream>\n"}, "too heavy")

    def test_a_header_without_its_guard(self):
        self.assert_fault({"src/curve/a.h": "int f();\n"}, "no #pragma once")

    def test_a_folder_that_is_no_layer(self):
        self.assert_fault({"src/misc/a.cpp": "\n"}, "not a layer")

    def test_a_witness_generator_that_reaches_a_constraint_system(self):
        with_table = {
            "CMakeLists.txt": TABLE + "cuzk_layer(r1cs DEPS field)\ncuzk_layer(gadgets DEPS r1cs)\n"
            "cuzk_layer(filecoin DEPS gadgets)\n",
            "src/r1cs/witness_system.h": "#pragma once\n",
            "src/r1cs/witness_sink.h": "#pragma once\n",
            "src/gadgets/num.h": "#pragma once\n",
            "src/filecoin/shape.h": '#pragma once\n#include "r1cs/witness_system.h"\n',
        }
        witness = "src/filecoin/witness/a.h"

        def including(header):
            return {**with_table, witness: f'#pragma once\n#include "{header}"\n'}

        self.assertEqual(self.faults(including("r1cs/witness_sink.h")), [])
        self.assert_fault(including("gadgets/num.h"), "must not reach gadgets/num.h")
        self.assert_fault(including("r1cs/witness_system.h"), "must not reach r1cs/witness_system.h")
        self.assert_fault(including("filecoin/shape.h"), "filecoin/shape.h > r1cs/witness_system.h")

    def test_a_table_out_of_order(self):
        with tempfile.TemporaryDirectory() as folder:
            lists = Path(folder) / "CMakeLists.txt"
            lists.write_text("cuzk_layer(field DEPS support)\ncuzk_layer(support)\n")
            with self.assertRaises(SystemExit):
                check_layers.read_table(lists)


if __name__ == "__main__":
    unittest.main()
