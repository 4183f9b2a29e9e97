import { address } from './api.js';
import { settings } from './settings.js';

const kinds = ['chart', 'movie', 'poster', 'alert', 'anomaly', 'products', 'product', 'request', 'reset', 'hello', 'link', 'beat'];
/** Milliseconds without an event until the connection counts as lost; the board sends a beat every 15 seconds. */
const patience = 40_000;
/** Milliseconds until a hidden page closes its connection: browsers have only six for one server. */
const hiddenPatience = 60_000;

/** A random name of this browser, so that the board counts its pages once; null if the browser keeps nothing. */
function browserID() {
  if (!settings.get('browser')) {
    settings.set('browser', [...crypto.getRandomValues(new Uint8Array(12))].map((byte) => byte.toString(16).padStart(2, '0')).join(''));
  }
  return settings.get('browser', null);
}

/**
 * The board's live updates as events of this object: `chart`, `movie`, `poster`, `alert`, `anomaly`, `products`, `product`,
 * `request` and `reset`, and `state` when the connection is lost or back. After that the missed updates follow in order, or
 * `reset` if they are too many.
 */
class Live extends EventTarget {
  state = 'connecting';
  link = { worker: true, notifier: true };
  #source = null;
  #lastID = null;
  #pause = 1_000;
  #timer = null;
  #watchdog = null;

  start() {
    this.#connect();
    addEventListener('online', () => this.#again());
    addEventListener('pagehide', () => this.#close());
    addEventListener('pageshow', (event) => event.persisted && this.#again());
    let hidden = null;
    document.addEventListener('visibilitychange', () => {
      clearTimeout(hidden);
      if (!document.hidden) { if (!this.#source) this.#again(); return; }
      if (settings.get('notify') !== 'yes') hidden = setTimeout(() => this.#close(), hiddenPatience);
    });
  }

  on(kind, heard, signal) {
    this.addEventListener(kind, (event) => heard(event.detail), { signal });
  }

  #connect() {
    const query = new URLSearchParams(Object.entries({ after: this.#lastID, browser: browserID() }).filter(([, value]) => value));
    const source = new EventSource(address(`live?${query}`));
    this.#source = source;
    this.#watch();
    source.onopen = () => {
      this.#pause = 1_000;
      this.#become('open');
    };
    source.onerror = () => {
      this.#become('lost');
      // The browser reconnects by itself after a broken connection, but not after a refused one.
      if (source.readyState === EventSource.CLOSED) this.#later();
    };
    for (const kind of kinds) {
      source.addEventListener(kind, (event) => {
        this.#watch();
        if (event.lastEventId) this.#lastID = event.lastEventId;
        const detail = JSON.parse(event.data);
        if (kind === 'link') this.link = detail;
        this.dispatchEvent(new CustomEvent(kind, { detail }));
      });
    }
  }

  #become(state) {
    if (this.state === state) return;
    this.state = state;
    this.dispatchEvent(new CustomEvent('state', { detail: state }));
  }

  /** Closes a connection without events, even if the browser believes that it is open. */
  #watch() {
    clearTimeout(this.#watchdog);
    this.#watchdog = setTimeout(() => {
      this.#become('lost');
      this.#again();
    }, patience);
  }

  #close() {
    clearTimeout(this.#watchdog);
    clearTimeout(this.#timer);
    this.#source?.close();
    this.#source = null;
  }

  #again() {
    this.#close();
    this.#connect();
  }

  #later() {
    this.#close();
    this.#timer = setTimeout(() => this.#connect(), this.#pause);
    this.#pause = Math.min(this.#pause * 2, 30_000);
  }
}

export const live = new Live();
