import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type IdentityProvider, startIdentityProvider } from '../fakes/identity-provider.ts';
import { startNameServer, type NameServer } from '../fakes/name-server.ts';
import { CHROMIUM, type Journey, OWNER, type Owner, startJourney } from './dashboard-browser.ts';

/**
 * From an empty settings page to a new signed-in colleague, with a real browser, a real provider and a real name
 * server.
 */
describe.skipIf(!CHROMIUM)('signing in with the provider of an organization', () => {
  let journey: Journey;
  let provider: IdentityProvider;
  let dns: NameServer;
  let owner: Owner;
  beforeAll(async () => {
    provider = await startIdentityProvider();
    dns = await startNameServer();
    // Its own URL must be known before it starts, because it is part of the provider's callback.
    const port = await freePort();
    journey = await startJourney({
      PORT: String(port),
      PARLEY_EGRESS_ALLOW: '127.0.0.1',
      DNS_SERVERS: dns.address,
    });
    owner = await journey.owner();
  });
  afterAll(async () => {
    await journey?.stop();
    await provider?.stop();
    await dns?.stop();
  });

  test('an owner configures the provider, and a colleague signs in with it', async () => {
    const { page, faults, close } = await journey.open('/settings/sign-in', { as: OWNER });
    await page.getByRole('heading', { name: 'Sign-in', level: 1 }).waitFor();
    const provided = page.getByRole('region', { name: 'Provider' });
    const callback = await provided.locator('[data-copy-source]').innerText();
    expect(callback).toMatch(`${journey.app.url}/dashboard/api/sign-in/organization/org_`);
    provider.allow(callback);

    await page.getByRole('button', { name: 'Test' }).click();
    await page.getByText('This field is required.').waitFor();
    await page.getByLabel('Issuer').fill(provider.issuer);
    await page.getByRole('button', { name: 'Test' }).click();
    await page.getByText('The provider responds').waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('This field is required.').first().waitFor();
    await page.getByLabel('Client ID').fill(provider.clientId);
    await page.getByLabel('Client secret', { exact: true }).fill(provider.clientSecret);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('The provider was saved.').waitFor();

    // Another owner turns the provider off. Saving another field does not turn it on again.
    await owner.call('PUT /sign-in', { enabled: false });
    await page.getByLabel('Role for new members').selectOption('Viewer');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expect
      .poll(async () => (await owner.call('GET /sign-in')).provider)
      .toMatchObject({ default_role: 'viewer', enabled: false });
    await owner.call('PUT /sign-in', { enabled: true, default_role: 'member' });

    await page.getByLabel('Domain', { exact: true }).fill('example.com');
    await page.getByRole('button', { name: 'Add domain' }).click();
    const domain = page.getByRole('region', { name: 'example.com' });
    await domain.getByText('Not verified yet').waitFor();
    await domain.getByRole('button', { name: 'Verify' }).click();
    await domain.getByText('The record of the domain was not found').waitFor();
    const [name, value] = await domain.locator('[data-copy-source]').allInnerTexts();
    dns.records.set(name!, [['v=spf1 -all'], [value!]]);
    await domain.getByRole('button', { name: 'Verify' }).click();
    await domain.getByText('Verified by DNS').waitFor();
    expect(faults).toEqual([]);
    await close();

    const colleague = await journey.open('/settings/members');
    await colleague.page.getByRole('link', { name: 'Continue with your organization' }).click();
    await colleague.page.getByLabel('Work e-mail address').fill('layla@elsewhere.example');
    await colleague.page.getByRole('button', { name: 'Continue' }).click();
    await colleague.page.getByText('No organization sign-in for this address').waitFor();
    await colleague.page.getByLabel('Work e-mail address').fill('layla@example.com');
    provider.person = null;
    // The browser restores the page as the user left it. A response without content leaves the page open.
    const next = colleague.page.getByRole('button', { name: 'Continue' });
    await colleague.page.route(`${provider.issuer}/**`, (route) => route.fulfill({ status: 204 }), { times: 1 });
    await Promise.all([colleague.page.waitForResponse((response) => response.status() === 204), next.click()]);
    expect(await next.getAttribute('data-loading')).toBe('true');
    await colleague.page.evaluate(`dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))`);
    await expect.poll(() => next.getAttribute('data-loading')).toBeNull();
    await next.click();
    await colleague.page.getByRole('heading', { name: 'Provider' }).waitFor();
    await colleague.page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await colleague.page.getByText('The provider of your organization refused the sign-in').waitFor();

    provider.person = { sub: 'layla', email: 'layla@example.com', email_verified: true, name: 'Layla Haddad' };
    await colleague.page.goto(`${journey.app.url}/sign-in/organization?back=/settings/members`);
    await colleague.page.getByLabel('Work e-mail address').fill('layla@example.com');
    await colleague.page.getByRole('button', { name: 'Continue' }).click();
    await colleague.page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await colleague.page.getByRole('heading', { name: 'Members', level: 1 }).waitFor();
    await colleague.page.getByText('Layla Haddad').first().waitFor();
    // The page does not offer links that this session cannot open.
    expect(await colleague.page.getByRole('link', { name: 'Your account' }).count()).toBe(0);
  });
});

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}
