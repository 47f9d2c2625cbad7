// blst (through @chainsafe/blst) and our curve layer give the same answers about BLS12-381: multiples of the generators,
// both Zcash encodings, what is refused, and pairings.
//
// usage: node blst_test.mjs --list | NAME
// Environment: CUZK_POINTS (the program blst_points), CUZK_ORACLE_PACKAGES (folder with node_modules), CUZK_SEED (optional:
// repeats a run).
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash, randomInt } from 'node:crypto';
import { createRequire } from 'node:module';

const R = 0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001n;
const Q = 0x1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaabn;
const COMPRESSED = { g1: 48, g2: 96 };

let blst;
let seed;
let draws = 0;

// Random bytes that CUZK_SEED repeats.
function draw(length) {
  let bytes = Buffer.alloc(0);
  while (bytes.length < length) {
    bytes = Buffer.concat([bytes, createHash('sha256').update(`${seed}/${draws++}`).digest()]);
  }
  return bytes.subarray(0, length);
}

const hex = (bytes) => Buffer.from(bytes).toString('hex');
const unhex = (text) => Buffer.from(text, 'hex');
const scalarHex = (k) => k.toString(16).padStart(64, '0');
const drawScalar = () => 1n + BigInt('0x' + hex(draw(64))) % (R - 1n);
const secretKey = (k) => blst.SecretKey.fromBytes(unhex(scalarHex(k)));
const both = (point) => `${hex(point.toBytes(true))} ${hex(point.toBytes(false))}`;

// Our answers to many questions, in one run of the program.
function ask(questions) {
  const done = spawnSync(process.env.CUZK_POINTS, { input: questions.join('\n') + '\n', encoding: 'utf8', maxBuffer: 1 << 28 });
  assert.equal(done.status, 0, done.stderr);
  const answers = done.stdout.trimEnd().split('\n');
  assert.equal(answers.length, questions.length);
  return answers;
}

const attempt = (f) => {
  try {
    return f();
  } catch {
    return null;
  }
};

// blst's point, or null when it refuses.
function decodedByBlst(group, bytes, validate) {
  if (group === 'g1') return attempt(() => blst.PublicKey.fromBytes(bytes, validate));
  return attempt(() => blst.Signature.fromBytes(bytes, validate, false));
}

// Where blst refuses more than the encoding asks: no public key is the identity, and the points (0, 2) and (0, -2) of G1,
// of order 3, count as outside the subgroup even where that is not checked.
function refusedByBlstAlone(group, bytes, validate) {
  if (group !== 'g1') return false;
  if ((bytes[0] & 0x40) !== 0) return validate;
  return !validate && (bytes[0] & 0x1f) === 0 && bytes.subarray(1, 48).every((byte) => byte === 0);
}

// Both sides accept the same of these encodings, with and without the check of the subgroup, and decode them to the same
// point. Returns how many were accepted with it.
function sameVerdicts(group, encodings) {
  const questions = encodings.flatMap((bytes) =>
    ['on_curve', 'subgroup'].map((validation) => `decode ${group} ${validation} ${hex(bytes)}`));
  const answers = ask(questions);
  let accepted = 0;
  encodings.forEach((bytes, i) => {
    for (const [j, validate] of [false, true].entries()) {
      const ours = answers[2 * i + j];
      const theirs = decodedByBlst(group, bytes, validate);
      const expected = theirs === null ? null : `ok ${both(theirs)}`;
      if (ours.startsWith('ok') && refusedByBlstAlone(group, bytes, validate)) {
        assert.equal(expected, null);
      } else {
        assert.equal(ours.startsWith('ok') ? ours : null, expected, `${questions[2 * i + j]}: ours ${ours}, blst's ${expected}`);
      }
      if (validate && ours.startsWith('ok')) accepted++;
    }
  });
  return accepted;
}

function multiplesOf(group, count) {
  return ask(Array.from({ length: count }, () => `multiply ${group} ${scalarHex(drawScalar())}`))
    .map((answer) => answer.split(' ').map(unhex));
}

const EDGES = [1n, 2n, 3n, 15n, 16n, 17n, (1n << 64n) - 1n, 1n << 64n, (1n << 128n) + 1n, 1n << 254n, R - 2n, R - 1n];
const GROUPS = ['g1', 'g2'];
const tests = {};

tests.multiples_of_g1_are_public_keys = () => {
  const scalars = [...EDGES, ...Array.from({ length: 100 }, drawScalar)];
  const ours = ask(scalars.map((k) => `multiply g1 ${scalarHex(k)}`));
  scalars.forEach((k, i) => assert.equal(ours[i], both(secretKey(k).toPublicKey()), `k = ${k}`));
};

tests.multiples_of_a_g2_point_are_signatures = () => {
  const message = draw(32);
  const base = hex(secretKey(1n).sign(message).toBytes(true));
  const scalars = [...EDGES, ...Array.from({ length: 50 }, drawScalar)];
  const ours = ask(scalars.map((k) => `multiply g2 ${scalarHex(k)} ${base}`));
  scalars.forEach((k, i) => assert.equal(ours[i], both(secretKey(k).sign(message)), `k = ${k}`));
};

// blst adds what we multiplied: a P + b P = (a + b) P for both generators.
tests.sums_of_multiples = () => {
  for (let i = 0; i < 30; i++) {
    const [a, b] = [drawScalar(), drawScalar()];
    const sum = scalarHex((a + b) % R);
    const [p, q, pq, s, t, st] = ask(GROUPS.flatMap((group) =>
      [scalarHex(a), scalarHex(b), sum].map((k) => `multiply ${group} ${k}`)));
    const bytes = (answer) => unhex(answer.split(' ')[0]);
    const key = blst.aggregatePublicKeys([p, q].map((x) => blst.PublicKey.fromBytes(bytes(x), true)), true);
    assert.equal(both(key), pq);
    const signature = blst.aggregateSignatures([s, t].map((x) => blst.Signature.fromBytes(bytes(x), true)), true);
    assert.equal(both(signature), st);
  }
};

for (const group of GROUPS) {
  const bytes = COMPRESSED[group];

  tests[`${group}_points_of_the_subgroup`] = () => {
    const encodings = multiplesOf(group, 60).flat();
    assert.equal(sameVerdicts(group, encodings), encodings.length);
  };

  // A random x is on the curve in half the cases, and then as good as never in the subgroup.
  tests[`${group}_points_outside_the_subgroup`] = () => {
    const encodings = Array.from({ length: 120 }, () => {
      const x = draw(bytes);
      for (const at of group === 'g1' ? [0] : [0, 48]) x[at] &= 0x0f;
      x[0] |= 0x80 | (draw(1)[0] & 0x20);
      return x;
    });
    const uncompressed = ask(encodings.map((x) => `decode ${group} on_curve ${hex(x)}`))
      .filter((answer) => answer.startsWith('ok')).map((answer) => unhex(answer.split(' ')[2]));
    assert.ok(uncompressed.length > 20, 'about half of all x belong to points');
    assert.equal(sameVerdicts(group, [...encodings, ...uncompressed]), 0);
  };

  tests[`${group}_flag_bits`] = () => {
    const encodings = multiplesOf(group, 6).flat().flatMap((good) => Array.from({ length: 8 }, (_, flags) => {
      const changed = Buffer.from(good);
      changed[0] = (changed[0] & 0x1f) | (flags << 5);
      return changed;
    }));
    // Compressed points have two legal signs, uncompressed ones no choice.
    assert.equal(sameVerdicts(group, encodings), 6 * 3);
  };

  tests[`${group}_identities`] = () => {
    const encodings = [];
    for (const length of [bytes, 2 * bytes]) {
      for (let flags = 0; flags < 8; flags++) {
        const clean = Buffer.alloc(length);
        clean[0] = flags << 5;
        encodings.push(clean);
        for (const at of [0, 1, 47, length / 2, length - 1]) {
          const dirty = Buffer.from(clean);
          dirty[at] |= 1;
          encodings.push(dirty);
        }
      }
    }
    assert.equal(sameVerdicts(group, encodings), 2);
  };

  tests[`${group}_coordinates_not_below_the_modulus`] = () => {
    const encodings = [];
    for (const good of multiplesOf(group, 8).flat()) {
      for (let at = 0; at < good.length; at += 48) {
        const flags = at === 0 ? good[0] & 0xe0 : 0;
        const value = BigInt('0x' + hex(good.subarray(at, at + 48))) & ((1n << 381n) - 1n);
        for (const wrong of [value + Q, Q, Q + 1n, Q - 1n, (1n << 381n) - 1n]) {
          if (wrong >= 1n << 381n) continue;
          const changed = Buffer.from(good);
          unhex(wrong.toString(16).padStart(96, '0')).copy(changed, at);
          changed[at] |= flags;
          encodings.push(changed);
        }
      }
    }
    assert.equal(sameVerdicts(group, encodings), 0);
  };

  tests[`${group}_changed_bits`] = () => {
    const encodings = multiplesOf(group, 4).flat().flatMap((good) => Array.from({ length: 40 }, () => {
      const changed = Buffer.from(good);
      const bit = draw(2).readUInt16LE() % (8 * changed.length);
      changed[bit >> 3] ^= 1 << (bit & 7);
      return changed;
    }));
    sameVerdicts(group, encodings);
  };

  tests[`${group}_wrong_lengths`] = () => {
    const encodings = multiplesOf(group, 2).flat().flatMap((good) =>
      [good.subarray(0, good.length - 1), good.subarray(1), Buffer.concat([good, Buffer.alloc(1)]), Buffer.alloc(0)]);
    assert.equal(sameVerdicts(group, encodings), 0);
  };
}

// e(g, k H(m)) = e(k g, H(m)) with blst's points, and not for another message.
tests.our_pairing_verifies_signatures_of_blst = () => {
  const [generator] = ask([`multiply g1 ${scalarHex(1n)}`])[0].split(' ');
  const questions = [];
  for (let i = 0; i < 12; i++) {
    const message = draw(32);
    const key = secretKey(drawScalar());
    const of = (point) => hex(point.toBytes(true));
    const [sig, pk] = [of(key.sign(message)), of(key.toPublicKey())];
    questions.push(`pairings ${generator} ${sig} ${pk} ${of(secretKey(1n).sign(message))}`);
    questions.push(`pairings ${generator} ${sig} ${pk} ${of(secretKey(1n).sign(draw(32)))}`);
  }
  ask(questions).forEach((answer, i) => assert.equal(answer, i % 2 === 0 ? 'equal' : 'different', questions[i]));
};

tests.blst_verifies_signatures_of_our_points = () => {
  for (let i = 0; i < 12; i++) {
    const message = draw(32);
    const hash = hex(secretKey(1n).sign(message).toBytes(true));
    const k = scalarHex(drawScalar());
    const [key, signature, other] = ask([`multiply g1 ${k}`, `multiply g2 ${k} ${hash}`,
      `multiply g2 ${scalarHex(drawScalar())} ${hash}`]).map((answer) => answer.split(' '));
    for (const form of [0, 1]) {
      const pk = blst.PublicKey.fromBytes(unhex(key[form]), true);
      assert.ok(blst.verify(message, pk, blst.Signature.fromBytes(unhex(signature[form]), true), true, true));
      assert.ok(!blst.verify(message, pk, blst.Signature.fromBytes(unhex(other[form]), true), true, true));
    }
  }
};

const [name] = process.argv.slice(2);
if (name === '--list') {
  console.log(Object.keys(tests).join('\n'));
} else {
  assert.ok(name in tests, `no test is called ${name}`);
  blst = createRequire(`${process.env.CUZK_ORACLE_PACKAGES}/`)('@chainsafe/blst');
  seed = process.env.CUZK_SEED ?? String(randomInt(2 ** 32));
  console.log(`seed ${seed} (repeat with CUZK_SEED)`);
  tests[name]();
}
