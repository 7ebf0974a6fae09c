import { loadOnce } from '../../kernel/load-once.ts';
import type { createOidc, Oidc } from './oidc.ts';

/** Loads OpenID Connect with the first sign-in that needs it, because most organizations have no provider. */
export function createLazyOidc(deps: Parameters<typeof createOidc>[0]): Oidc {
  const oidc = loadOnce(async () => (await import('./oidc.ts')).createOidc(deps));
  return {
    look: async (...given) => (await oidc()).look(...given),
    begin: async (...given) => (await oidc()).begin(...given),
    finish: async (...given) => (await oidc()).finish(...given),
  };
}
