// A client of cuzk.v1 by @grpc/grpc-js and a .proto of its own, driven by lines of JSON on standard input:
//
//   {"id": 7, "method": "Prove", "request": {...}}
//   {"cancel": 7}                      the call is given up
//
// and answering with a line a call, in the order in which they end:
//
//   {"id": 7, "response": {...}}       bytes as base64, 64-bit numbers as text, enumerations by name, defaults included
//   {"id": 7, "responses": [...]}      of a stream that has ended
//   {"id": 7, "error": {"code": "NOT_FOUND", "details": "..."}}
//
// Bytes in a request are base64, or {"file": path}, or {"zeros": count}. Beside "request" there may be
//
//   "channel": 3                       a connection of its own (0)
//   "deadline_ms": 500                 how long the call may take
//   "metadata": {name: text}
//   "patient": true                    waits for a connection instead of failing while there is none
//   "raw": bytes                       the request as it goes onto the wire; the response's bytes come back as they are.
//                                      "method" may then be one of another service, as a path: "/package.Service/Call"
//
// usage: node client.mjs PACKAGES ADDRESS [CA.pem [CERT.pem KEY.pem]]
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const [packages, address, ca, cert, key] = process.argv.slice(2);
const require = createRequire(join(resolve(packages), 'node_modules', 'of-the-client.js'));
const grpc = require('@grpc/grpc-js');
const loader = require('@grpc/proto-loader');

const proto = join(dirname(fileURLToPath(import.meta.url)), 'cuzk_v1.proto');
const definition = loader.loadSync(proto, { keepCase: true, longs: String, enums: String, bytes: Buffer, defaults: true });
const Service = grpc.loadPackageDefinition(definition).cuzk.v1.ProvingEngine;
const codes = Object.fromEntries(Object.entries(grpc.status).map(([name, code]) => [code, name]));
const limits = {
  'grpc.max_send_message_length': 512 << 20,
  'grpc.max_receive_message_length': 256 << 20,
  'grpc.use_local_subchannel_pool': 1,  // a connection a channel
  'grpc.initial_reconnect_backoff_ms': 50,
  'grpc.max_reconnect_backoff_ms': 200,
};

const pem = (path) => (path ? readFileSync(path) : null);
const credentials = ca ? grpc.credentials.createSsl(pem(ca), pem(key), pem(cert)) : grpc.credentials.createInsecure();
const channels = new Map();
const calls = new Map();

function channel(number) {
  if (!channels.has(number)) channels.set(number, new Service(address, credentials, limits));
  return channels.get(number);
}

const isBytes = new Set(['vanilla_proof', 'vanilla_proofs', 'randomness', 'comm_r_old', 'comm_r_new', 'comm_d_new', 'wtns']);

function bytesOf(value) {
  if (Array.isArray(value)) return value.map(bytesOf);
  if (typeof value === 'string') return Buffer.from(value, 'base64');
  return 'file' in value ? readFileSync(value.file) : Buffer.alloc(value.zeros);
}

function decoded(message) {
  const member = ([name, value]) => [name, isBytes.has(name) ? bytesOf(value) : isPlain(value) ? decoded(value) : value];
  return Object.fromEntries(Object.entries(message).map(member));
}

const isPlain = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

function say(answer) {
  const text = JSON.stringify(answer, function (name, value) {  // a Buffer's own toJSON has run before
    return Buffer.isBuffer(this[name]) ? this[name].toString('base64') : value;
  });
  process.stdout.write(text + '\n');
}

function unary(service, method, message, raw, ...rest) {
  if (raw === undefined) return service[method](decoded(message), ...rest);
  const asItIs = (bytes) => bytes;
  const path = method.startsWith('/') ? method : `/cuzk.v1.ProvingEngine/${method}`;
  return service.makeUnaryRequest(path, asItIs, asItIs, bytesOf(raw), ...rest);
}

function start({ id, channel: number = 0, method, request = {}, raw, deadline_ms, patient = false, metadata = {} }) {
  const service = channel(number);
  const headers = new grpc.Metadata({ waitForReady: patient });
  for (const [name, value] of Object.entries(metadata)) headers.set(name, value);
  const options = deadline_ms === undefined ? {} : { deadline: Date.now() + deadline_ms };
  const end = (answer) => {
    calls.delete(id);
    say({ id, ...answer });
  };
  const fail = (error) => end({ error: { code: codes[error.code] ?? String(error.code), details: error.details ?? String(error) } });
  try {
    if (Service.service[method]?.responseStream) {
      const responses = [];
      const call = service[method](decoded(request), headers, options);
      calls.set(id, call);
      call.on('data', (message) => responses.push(message));
      call.on('error', fail);
      call.on('end', () => calls.has(id) && end({ responses }));
    } else {
      const done = (error, response) => (error ? fail(error) : end({ response }));
      calls.set(id, unary(service, method, request, raw, headers, options, done));
    }
  } catch (error) {
    fail(error);
  }
}

const lines = createInterface({ input: process.stdin });
lines.on('line', (line) => {
  const command = JSON.parse(line);
  if ('cancel' in command) calls.get(command.cancel)?.cancel();
  else start(command);
});
lines.on('close', () => {
  for (const service of channels.values()) service.close();
});
