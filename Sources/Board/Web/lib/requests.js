import { ask } from './api.js';
import { live } from './live.js';

/** Milliseconds to wait for the worker until the page says that it takes long. */
const patience = 20_000;

/** A fault of our own is the worker's while that does not respond. */
export const ours = (failure) => (failure.code === 'internal' && !live.link.worker ? { code: 'worker', retryable: true } : failure);

/**
 * Sends a request to the worker, and waits for its outcome; throws the contract's error object if it fails, with
 * the code `late` or `worker` if the answer is late, or the worker does not respond. The fetched
 * data comes as a live update of its own. Returns nothing if so many updates were missed that the outcome is unknown.
 */
export async function outcome(topic, fields, signal) {
  const ended = new Map();
  const stop = new AbortController();
  signal.addEventListener('abort', () => stop.abort(), { signal: stop.signal });
  try {
    return await new Promise((resolve, reject) => {
      // The outcome may arrive before the request's id.
      let id = null;
      const settle = (update) => (update.stage === 'failed' ? reject(update.outcome.error) : resolve(update.outcome));
      live.on('request', (update) => (update.id === id ? settle(update) : ended.set(update.id, update)), stop.signal);
      live.on('reset', () => resolve(null), stop.signal);
      stop.signal.addEventListener('abort', () => reject(new DOMException('', 'AbortError')));
      setTimeout(() => reject({ code: live.link.worker ? 'late' : 'worker', retryable: true }), patience);
      ask(topic, fields).then((name) => {
        id = name;
        if (ended.has(id)) settle(ended.get(id));
      }, (failure) => reject(ours(failure)));
    });
  } finally {
    stop.abort();
  }
}
