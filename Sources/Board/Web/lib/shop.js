import { Failure, address, ask } from './api.js';
import { hasWord, language, t } from './words.js';
import { live } from './live.js';
import { ours } from './requests.js';

/** Milliseconds to wait for the outcome of a fetch, and of an order, for which the worker may ask the shop twice. */
const patience = { question: 20_000, order: 90_000 };

export const imageAddress = (product, version, size) => address(`products/${product}/images/${version}?size=${size}`);

/** An amount in its currency, with separators, in Korean with the currency's name behind it; won have no decimals unless the shop says so. */
export function price(amount, currency) {
  const digits = Number.isInteger(amount) && currency === 'KRW' ? 0 : 2;
  const [style, limits] = [{ style: 'currency', currency }, { minimumFractionDigits: digits, maximumFractionDigits: 2 }];
  if (language() === 'en') return new Intl.NumberFormat('en', { ...style, ...limits }).format(amount);
  const name = `currency.${currency}`;
  return `${new Intl.NumberFormat('ko', limits).format(amount)}${hasWord(name) ? t(name) : ` ${currency}`}`;
}

/** Sends a request to the worker, and waits for its outcome; throws a `Failure` if it fails. */
export const question = (topic, fields, signal) => outcome(() => ask(topic, fields), signal, patience.question);

/**
 * Sends an order to the shop, and waits until it is done. Calls `progress` with the part of the upload that the board has
 * received, from 0 to 1, and with `null` once the worker has the order.
 */
export const order = (topic, fields, { images = [], progress = () => {}, signal } = {}) =>
  outcome(() => upload({ topic, ...fields }, images, progress, signal), signal, patience.order);

export async function signIn(password) {
  return session('POST', { password });
}

export async function signOut() {
  return session('DELETE');
}

async function session(method, fields) {
  let response;
  try {
    response = await fetch(address('session'), {
      method, headers: { 'Content-Type': 'application/json' }, body: fields && JSON.stringify(fields),
    });
  } catch {
    throw new Failure({ code: 'offline', retryable: true });
  }
  const body = await response.json().catch(() => null);
  if (!response.ok) throw new Failure(body?.code ? body : { code: 'internal' });
  return body;
}

/** Sends frames, each after its length; only XMLHttpRequest reports the progress of an upload. */
function upload(fields, images, progress, signal) {
  const frames = [new Blob([JSON.stringify(fields)]), ...images].flatMap((frame) => {
    const length = new DataView(new ArrayBuffer(4));
    length.setUint32(0, frame.size);
    return [length, frame];
  });
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', address('requests'));
    request.setRequestHeader('Content-Type', 'application/vnd.marquee.frames');
    request.responseType = 'json';
    request.upload.onprogress = (event) => event.lengthComputable && progress(event.loaded / event.total);
    request.onload = () => {
      if (request.status === 202) {
        progress(null);
        resolve(request.response.id);
      } else if (request.status === 413) {
        reject(new Failure({ code: 'badRequest', field: 'images', message: 'too large' }));
      } else {
        reject(new Failure(request.response?.code ? request.response : { code: 'internal' }));
      }
    };
    request.onerror = () => reject(new Failure({ code: 'offline', retryable: true }));
    signal?.addEventListener('abort', () => request.abort());
    request.send(new Blob(frames));
  });
}

/** Sends a request, and waits for the update with its outcome, which may arrive before the request's id. */
function outcome(send, signal, limit) {
  const stop = new AbortController();
  const ended = new Map();
  let timer = null;
  return new Promise((resolve, reject) => {
    let id = null;
    const settle = (update) => (update.stage === 'failed' ? reject(update.outcome.error) : resolve(update.outcome));
    live.on('request', (update) => (update.id === id ? settle(update) : ended.set(update.id, update)), stop.signal);
    signal?.addEventListener('abort', () => reject(new DOMException('', 'AbortError')), { signal: stop.signal });
    send().then((name) => {
      id = name;
      if (ended.has(id)) settle(ended.get(id));
      timer = setTimeout(() => reject({ code: live.link.worker ? 'late' : 'worker', retryable: true }), limit);
    }, (failure) => reject(ours(failure)));
  }).finally(() => {
    stop.abort();
    clearTimeout(timer);
  });
}
