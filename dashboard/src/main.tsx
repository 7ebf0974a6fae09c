/* oxlint-disable import/no-unassigned-import -- styles and fonts are imported for what they do to the page */
import '@fontsource-variable/inter/wght.css';
import '@fontsource-variable/jetbrains-mono/wght.css';
import './fonts.css';
import '@mantine/core/styles.layer.css';
import './theme.css';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';

// The package react-remove-scroll (in Mantine's dialogs) reads the nonce of its style element from this name.
declare global {
  var __webpack_nonce__: string | undefined;
}
globalThis.__webpack_nonce__ = document.querySelector<HTMLMetaElement>('meta[name=csp-nonce]')?.nonce;

createRoot(document.getElementById('root')!).render(<App />);
