import { ask } from './api.js';
import { live } from './live.js';

/** How long to wait for the worker before saying that it takes long. */
const patience = 20_000;

/**
 * Asks the worker for something and waits for the end of the request; throws the contract's error object if it fails.
 * What was found comes as news of its own. Nothing is returned where too much was missed to know.
 */
export async function outcome(topic, fields, signal) {
  const ended = new Map();
  const stop = new AbortController();
  signal.addEventListener('abort', () => stop.abort(), { signal: stop.signal });
  try {
    return await new Promise((resolve, reject) => {
      // The end may be heard before the request's own name is known.
      let id = null;
      const settle = (news) => (news.stage === 'failed' ? reject(news.outcome.error) : resolve(news.outcome));
      live.on('request', (news) => (news.id === id ? settle(news) : ended.set(news.id, news)), stop.signal);
      live.on('reset', () => resolve(null), stop.signal);
      stop.signal.addEventListener('abort', () => reject(new DOMException('', 'AbortError')));
      setTimeout(() => reject({ code: live.link.worker ? 'late' : 'upstreamUnavailable', retryable: true }), patience);
      ask(topic, fields).then((name) => {
        id = name;
        if (ended.has(id)) settle(ended.get(id));
      }, reject);
    });
  } finally {
    stop.abort();
  }
}
