/** The board's API, version 1: docs/board.md. */

/** Why something could not be had: the contract's error object. */
export class Failure extends Error {
  constructor(error) {
    super(error.message ?? error.code);
    Object.assign(this, error);
  }
}

export const address = (path) => new URL(`api/v1/${path}`, document.baseURI).href;

/** What stands at an address; throws a `Failure`, `offline` where the board itself cannot be reached. */
export async function get(path, signal) {
  return read(await reach(path, { signal }));
}

/** Asks the worker for something; returns the request's id, whose end comes as live news. */
export async function ask(topic, fields) {
  const body = JSON.stringify({ topic, ...fields });
  const response = await reach('requests', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
  return (await read(response)).id;
}

async function reach(path, options) {
  try {
    return await fetch(address(path), options);
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new Failure({ code: 'offline', retryable: true });
  }
}

async function read(response) {
  const body = await response.json().catch(() => null);
  if (response.ok && body) return body;
  throw new Failure(body?.code ? body : { code: 'internal', retryable: true });
}

/** The fields of a market in requests, and its word in addresses. */
export function market({ nation, films, area }) {
  const chosen = Object.entries({ nation, films, area }).filter(([, value]) => value);
  return { fields: Object.fromEntries(chosen), word: chosen.map((filter) => filter.join('-')).join('+') || 'all' };
}

export const posterAddress = (code, version, size) => address(`posters/${code}/${version}?size=${size}`);
