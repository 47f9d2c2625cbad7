// Descriptions of elements, and their way into the document.
//
// patch() changes what is there in place, so that focus, selection, scroll and hover survive each second's update.
// Children are text or descriptions; text is only ever set as text, so nothing that a user of the daemon sends can
// become markup.

const SVG = 'http://www.w3.org/2000/svg';

// Attributes: `key` names an element among its siblings, `style` is an object, functions become event handlers, false
// and null leave the attribute out.
export function h(tag, attributes, ...children) {
  return { tag, attributes: attributes ?? {}, children: children.flat(Infinity).filter((x) => x != null && x !== false) };
}

const LONG_TEXT = 400; // may need to be scrolled, and so focused

// A message of the daemon; `before` are our own words, and more of them.
export function errorText(text, ...before) {
  return h('p', { class: 'error', tabindex: text.length > LONG_TEXT && 0 }, before, h('bdi', null, text));
}

export function patch(parent, ...wanted) {
  const children = wanted.flat(Infinity).filter((x) => x != null && x !== false);
  const keys = new Set(children.map(keyOf));
  const kept = new Map();
  for (const node of [...parent.childNodes]) {
    if (node.patchKey === undefined) continue;
    if (keys.has(node.patchKey)) kept.set(node.patchKey, node);
    else node.remove();
  }
  let at = parent.firstChild;
  for (const child of children) {
    const key = keyOf(child);
    const old = key === undefined ? at : kept.get(key);
    const node = old && fits(old, child, key) ? old : create(parent, child, key);
    if (node === at) at = at.nextSibling;
    else parent.insertBefore(node, at);
    update(node, child);
  }
  while (at) {
    const next = at.nextSibling;
    at.remove();
    at = next;
  }
}

const keyOf = (child) => child.attributes?.key;

function fits(node, child, key) {
  return child.tag === undefined ? node.nodeType === Node.TEXT_NODE
    : node.nodeType === Node.ELEMENT_NODE && node.localName === child.tag && node.patchKey === key;
}

function create(parent, child, key) {
  if (child.tag === undefined) return document.createTextNode('');
  const svg = child.tag === 'svg' || parent.namespaceURI === SVG;
  const node = svg ? document.createElementNS(SVG, child.tag) : document.createElement(child.tag);
  node.patchKey = key;
  return node;
}

function update(node, child) {
  if (child.tag === undefined) {
    if (node.data !== String(child)) node.data = String(child);
    return;
  }
  const before = node.patchAttributes ?? {};
  const now = child.attributes;
  for (const name of Object.keys(before)) if (!(name in now)) set(node, name, null, before[name]);
  for (const name of Object.keys(now)) set(node, name, now[name], before[name]);
  node.patchAttributes = now;
  patch(node, child.children);
}

function set(node, name, value, before) {
  if (name === 'key' || value === before) return;
  if (name === 'style') {
    for (const property of Object.keys({ ...before, ...value })) {
      if (before?.[property] !== value?.[property]) node.style.setProperty(property, value?.[property] ?? '');
    }
  } else if (name.startsWith('on')) {
    node[name] = value;
  } else if (value == null || value === false) {
    node.removeAttribute(name);
  } else {
    node.setAttribute(name, value === true ? '' : value);
  }
}
