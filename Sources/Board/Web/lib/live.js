import { address } from './api.js';
import { settings } from './settings.js';

const kinds = ['chart', 'movie', 'poster', 'alert', 'anomaly', 'products', 'product', 'request', 'reset', 'hello', 'link', 'beat'];
/** The board sends a beat every 15 seconds. */
const patience = 40_000;
/** A page that nobody sees gives its connection back: browsers have only six for one server. */
const hiddenPatience = 60_000;

/**
 * The board's news as events of this object: `chart`, `movie`, `poster`, `alert`, `anomaly`, `products`, `product`, `request` and `reset`, and `state` when
 * the connection is lost or found. What was missed in between comes after it, in order; where too much was, `reset`.
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
    const after = this.#lastID ? `?after=${encodeURIComponent(this.#lastID)}` : '';
    const source = new EventSource(address(`live${after}`));
    this.#source = source;
    this.#watch();
    source.onopen = () => {
      this.#pause = 1_000;
      this.#become('open');
    };
    source.onerror = () => {
      this.#become('lost');
      // The browser tries again by itself where the connection broke, and not where it was refused.
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

  /** A connection that is silent is dead, whatever the browser thinks of it. */
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
