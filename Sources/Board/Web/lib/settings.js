/** The settings of the visitor, kept by the browser. */
export const settings = {
  get(name, fallback) {
    try { return localStorage.getItem(`marquee.${name}`) ?? fallback; } catch { return fallback; }
  },
  set(name, value) {
    try {
      if (value === null) localStorage.removeItem(`marquee.${name}`);
      else localStorage.setItem(`marquee.${name}`, value);
    } catch { /* A browser that keeps nothing forgets it with the page. */ }
  },
};
