#!/usr/bin/env node
// Computes the witness of a circom circuit: runs the WebAssembly module that circom 2 generated on the input signals
// of a JSON file and writes them as an iden3 .wtns file (version 2).
//
// usage: circom_witness.mjs CIRCUIT.wasm INPUT.json WITNESS.wtns
//
// The module's interface (circom's documentation, "WebAssembly witness calculator"): field elements pass one at a time
// through a shared buffer of 32-bit words, the lowest word at index 0; a signal is named by the 64-bit FNV-1a hash of
// its name, given as two halves.
import { readFileSync, writeFileSync } from "node:fs";

const EXCEPTIONS = ["", "signal not found", "too many signals set", "signal already set", "assert failed",
  "not enough memory", "too many values for an input", "too few values for an input"];

async function load(wasm) {
  let messages = "";
  let exports;
  const readMessage = () => {
    let text = "";
    for (let code = exports.getMessageChar(); code !== 0; code = exports.getMessageChar()) text += String.fromCharCode(code);
    return text;
  };
  const runtime = {
    exceptionHandler: (code) => {
      throw new Error(`${EXCEPTIONS[code] ?? `exception ${code}`}${messages && `: ${messages.trim()}`}`);
    },
    printErrorMessage: () => (messages += `${readMessage()}\n`),
    writeBufferMessage: () => (messages += readMessage()),
    showSharedRWMemory: () => {},
  };
  ({ exports } = (await WebAssembly.instantiate(wasm, { runtime })).instance);
  exports.init(1);
  return exports;
}

function hashOfName(name) {
  let hash = 0xcbf29ce484222325n;
  for (const byte of Buffer.from(name)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  return [Number(hash >> 32n), Number(hash & 0xffffffffn)];
}

function readElement(exports, words) {
  let value = 0n;
  for (let i = words - 1; i >= 0; i--) value = (value << 32n) | BigInt(exports.readSharedRWMemory(i) >>> 0);
  return value;
}

function writeElement(exports, words, value) {
  for (let i = 0; i < words; i++) exports.writeSharedRWMemory(i, Number((value >> BigInt(32 * i)) & 0xffffffffn));
}

function littleEndian(value, bytes) {
  const out = Buffer.alloc(bytes);
  for (let i = 0; i < bytes; i++) out[i] = Number((value >> BigInt(8 * i)) & 0xffn);
  return out;
}

function setInputs(exports, words, prime, signals) {
  for (const [name, given] of Object.entries(signals)) {
    const values = [given].flat(Infinity).map((v) => ((BigInt(v) % prime) + prime) % prime);
    const hash = hashOfName(name);
    const wanted = exports.getInputSignalSize(...hash);
    if (wanted !== values.length) throw new Error(`input ${name} has ${values.length} values, expected ${wanted}`);
    values.forEach((value, i) => {
      writeElement(exports, words, value);
      exports.setInputSignal(...hash, i);
    });
  }
}

function wtnsFile(prime, elementBytes, witness) {
  const u32 = (n) => littleEndian(BigInt(n), 4);
  const section = (type, data) => Buffer.concat([u32(type), littleEndian(BigInt(data.length), 8), data]);
  const header = Buffer.concat([u32(elementBytes), littleEndian(prime, elementBytes), u32(witness.length)]);
  const values = Buffer.concat(witness.map((value) => littleEndian(value, elementBytes)));
  return Buffer.concat([Buffer.from("wtns"), u32(2), u32(2), section(1, header), section(2, values)]);
}

async function main([wasmPath, inputPath, wtnsPath]) {
  const exports = await load(readFileSync(wasmPath));
  const words = exports.getFieldNumLen32();
  exports.getRawPrime();
  const prime = readElement(exports, words);
  setInputs(exports, words, prime, JSON.parse(readFileSync(inputPath, "utf8")));
  const witness = Array.from({ length: exports.getWitnessSize() }, (_, i) => {
    exports.getWitness(i);
    return readElement(exports, words);
  });
  writeFileSync(wtnsPath, wtnsFile(prime, 4 * words, witness));
}

if (process.argv.length !== 5) {
  console.error("usage: circom_witness.mjs CIRCUIT.wasm INPUT.json WITNESS.wtns");
  process.exit(2);
}
main(process.argv.slice(2)).catch((error) => {
  console.error(`circom_witness: ${error.message}`);
  process.exit(1);
});
