/** The board's API, version 1: docs/board.md. */

/** The contract's error object, as an exception. */
export class Failure extends Error {
  constructor(error) {
    super(error.message ?? error.code);
    Object.assign(this, error);
  }
}

export const address = (path) => new URL(`api/v1/${path}`, document.baseURI).href;

/**
 * Requests the JSON at an address; throws a `Failure`, with the code `offline` if the board does not answer, and `unknown`
 * if it does not know the answer yet.
 */
export async function get(path, signal) {
  const answer = await read(await reach(path, { signal }));
  if (answer.known === false) throw new Failure({ code: 'unknown', retryable: true });
  return answer;
}

/** Sends a request to the worker, and returns its id; its outcome comes as a live update. */
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

/** The fields of a market in requests, and its text in addresses. */
export function market({ nation, films, area }) {
  const chosen = Object.entries({ nation, films, area }).filter(([, value]) => value);
  return { fields: Object.fromEntries(chosen), word: chosen.map((filter) => filter.join('-')).join('+') || 'all' };
}

export const posterAddress = (code, version, size) => address(`posters/${code}/${version}?size=${size}`);
