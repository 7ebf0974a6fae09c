// Runs before the first paint, so that nobody sees a flash of the other theme or direction.
// The same storage is read and written by src/preferences.ts.
(function () {
  var saved = {};
  try {
    saved = JSON.parse(localStorage.getItem('parley.preferences')) || {};
  } catch {
    // Storage may be switched off: the defaults below hold.
  }
  var dark = saved.theme === 'dark' || (saved.theme !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  var arabic = saved.language ? saved.language === 'ar' : /^ar\b/.test(navigator.language);
  var root = document.documentElement;
  root.setAttribute('data-mantine-color-scheme', dark ? 'dark' : 'light');
  root.lang = arabic ? 'ar' : 'en';
  root.dir = arabic ? 'rtl' : 'ltr';
  root.style.backgroundColor = dark ? '#131614' : '#f7f7f4';
  // The program of the reader's language (build/languages.ts). A script that is written here waits for the styles and
  // the document, as a script of the page does. From its sources, the program has both languages and needs nothing here.
  var files = document.currentScript.dataset[arabic ? 'ar' : 'en'];
  if (files) document.write('<script type="module" src="' + files.replace(/ .*/, '') + '"></script>');
})();
