import type { BeginSignInBody } from '../../../contract/dashboard/sign-in-provider.ts';
import { Refusal } from '../../../contract/problems.ts';
import { sealState, stateCookie } from '../../access/sessions/sign-in-state.ts';
import { findSignInProvider } from '../../store/sign-in/providers.ts';
import { callbackUrl, clientOf, domainOfAddress, type SignInDeps } from './sign-in.ts';

/**
 * Returns the URL that the browser opens to sign in. Only the domain of the address decides, so the response is the
 * same with and without an account.
 */
export async function beginSignIn(
  deps: SignInDeps,
  { email, back = '/' }: BeginSignInBody,
): Promise<{ url: string; setCookie: string }> {
  const domain = domainOfAddress(email);
  const provider = domain === null ? null : await findSignInProvider(deps.db, domain);
  if (!provider) throw new Refusal('sign_in_provider_not_found');
  const { orgId } = provider;
  const client = await clientOf(deps, provider);
  const { url, checks } = await deps.oidc
    .begin(client, callbackUrl(deps.baseUrl, orgId), email.trim())
    .catch((error: unknown) => {
      // The owner can see the details of the failure in Settings.
      const detail = 'The provider of your organization returned an error. Try again later.';
      throw error instanceof Refusal ? new Refusal(error.code, detail, { cause: error }) : error;
    });
  return { url, setCookie: stateCookie(sealState(deps.signInKey, { orgId, checks, back }, Date.now())) };
}
