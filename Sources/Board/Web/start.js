// Sets the chosen theme and language before anything is drawn, so that no page flashes in another one.
(() => {
  const read = (name) => {
    try { return localStorage.getItem(`marquee.${name}`); } catch { return null; }
  };
  const root = document.documentElement;
  const theme = read('theme');
  if (theme === 'light' || theme === 'dark') root.dataset.theme = theme;
  const languages = navigator.languages ?? [navigator.language];
  const native = languages.find((tag) => /^(ko|en)\b/i.test(tag)) ?? 'en';
  root.lang = read('language') ?? (/^ko/i.test(native) ? 'ko' : 'en');
})();
