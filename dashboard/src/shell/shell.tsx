import { ActionIcon } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconMenu2, IconSearch } from '@tabler/icons-react';
import { Outlet, useLocation, useRouter } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useRef, useState, type ReactNode } from 'react';
import { onProblem, queryClient, refetch } from '../api/queries.ts';
import { useTexts } from '../language/texts.tsx';
import { onceOpened, whenIdle } from '../parts/once-opened.tsx';
import { PagePending } from '../parts/page-pending.tsx';
import { useFocusAfterActions } from './use-focus-after-actions.ts';
import { isSecretShown } from '../parts/secret-shown.ts';
import { forgetSession, useMaybeOrganization, useSession } from '../session/session.ts';
import { ConnectionBar } from './connection-bar.tsx';
import { Logo } from './logo.tsx';
import { Navigation, useSections } from './navigation.tsx';
import { OrganizationSwitcher } from './organization-switcher.tsx';
import { UserMenu } from './user-menu.tsx';
import { WaitingInTab } from './waiting-count.tsx';
import { useEarlyKeys } from './use-early-keys.ts';
import { texts } from './texts.ts';
import classes from './shell.module.css';

const PhoneNavigation = onceOpened(
  async () => (await import('./phone-navigation.tsx')).PhoneNavigation,
  ({ opened }) => opened,
  { opened: false },
);

const Finder = lazy(async () => ({ default: (await import('./finder.tsx')).Finder }));
// The shell loads rarely used parts separately.
const FirstOrganization = lazy(async () => ({ default: (await import('./first-organization.tsx')).FirstOrganization }));
const PauseBar = lazy(async () => ({ default: (await import('./pause-bar.tsx')).PauseBar }));
const VerifyBar = lazy(async () => ({ default: (await import('./verify-bar.tsx')).VerifyBar }));
const SecondFactorRequired = lazy(async () => ({
  default: (await import('./second-factor-required.tsx')).SecondFactorRequired,
}));

/** The shell is the frame around every page of a signed-in person. */
export function Shell(): ReactNode {
  const say = useTexts(texts);
  const organization = useMaybeOrganization();
  const [opened, { open, close }] = useDisclosure(false);
  const main = useFocusOnNavigation();
  useSignInWhenRefused();
  useSessionWhenRemoved();
  useFocusAfterActions();
  useEffect(() => whenIdle(() => void import('./report-failures.ts').catch(() => {})), []);
  const find = useFinder(close);
  // The account belongs to no organization. The page of the account sets a second factor up.
  const ownPage = useLocation({ select: ({ pathname }) => pathname === '/settings/sessions' });

  if (!organization)
    return (
      <Suspense fallback={<PagePending />}>
        <FirstOrganization />
      </Suspense>
    );
  const side = (
    <>
      <OrganizationSwitcher />
      {find.button}
      <Navigation onNavigate={close} />
      <UserMenu />
    </>
  );
  return (
    <div className={classes.shell}>
      <a href="#main" className={classes.skip}>
        {say('skip')}
      </a>
      <aside className={classes.side}>{side}</aside>
      <PhoneNavigation opened={opened} onClose={close}>
        {side}
      </PhoneNavigation>
      <div className={classes.column}>
        <header className={classes.bar}>
          <ActionIcon variant="subtle" color="gray" size="lg" onClick={open} aria-label={say('open_navigation')}>
            <IconMenu2 size={20} />
          </ActionIcon>
          <Logo size={26} />
          <span dir="auto" className={classes.barName}>
            {organization.name}
          </span>
        </header>
        {find.dialog}
        <WaitingInTab key={organization.id} />
        <ConnectionBar />
        <Bars />
        <main id="main" ref={main} tabIndex={-1} className={classes.main} key={organization.id}>
          <Suspense fallback={<PagePending />}>
            {organization.second_factor_required && !ownPage ? <SecondFactorRequired /> : <Outlet />}
          </Suspense>
        </main>
      </div>
    </div>
  );
}

/** Shows notices on every page. Most people see no bar, so each bar loads when it is needed. */
function Bars(): ReactNode {
  const { user, mail, only_organization, paused_since } = useSession();
  // A session of an organization's provider has no access to the account.
  const isUnverified = mail && !user.email_verified && only_organization === null;
  return (
    <Suspense fallback={null}>
      {paused_since !== null && <PauseBar />}
      {isUnverified && <VerifyBar />}
    </Suspense>
  );
}

/**
 * Opens the finder by Ctrl-K, which also works in a field, and by a button for users who do not know the key. The code
 * of the finder loads when it is first opened.
 */
function useFinder(onOpen: () => void): { button: ReactNode; dialog: ReactNode } {
  const say = useTexts(texts);
  const entries = useSections().flatMap(({ items }) => items);
  const [wanted, setWanted] = useState(false);
  const [opened, { open, close }] = useDisclosure(false);
  const early = useEarlyKeys();
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.code !== 'KeyK' || event.altKey || event.shiftKey || event.ctrlKey === event.metaKey) return;
      event.preventDefault();
      setWanted(true);
      if (!opened) early.begin();
      open();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, [open, opened, early]);
  return {
    button: (
      <button
        type="button"
        className={classes.find}
        onClick={() => {
          onOpen();
          setWanted(true);
          open();
        }}
        aria-keyshortcuts="Control+K Meta+K"
      >
        <IconSearch size={16} stroke={1.7} aria-hidden="true" />
        {say('find')}
        <kbd aria-hidden="true">{navigator.userAgent.includes('Mac') ? '⌘ K' : 'Ctrl K'}</kbd>
      </button>
    ),
    dialog: wanted && (
      <Suspense fallback={null}>
        <Finder opened={opened} onClose={close} entries={entries} early={early.take} />
      </Suspense>
    ),
  };
}

/** A new page is announced and starts at its top. A change of filters does not move the focus. */
function useFocusOnNavigation() {
  const main = useRef<HTMLElement>(null);
  const path = useLocation({ select: ({ pathname }) => pathname });
  const before = useRef(path);
  useEffect(() => {
    if (before.current === path) return;
    before.current = path;
    main.current?.focus({ preventScroll: true });
  }, [path]);
  return main;
}

/** If a session ends, the user goes to the sign-in and then returns to this page. */
function useSignInWhenRefused(): void {
  const router = useRouter();
  const leaving = useRef(false);
  useEffect(
    () =>
      onProblem(({ code }) => {
        // Several reads fail at the same time, but one redirect is enough.
        if (code !== 'session_missing' || leaving.current) return;
        // A visible secret can still be saved without a session. After the secret is closed, the next read fails and
        // redirects.
        if (isSecretShown()) return;
        leaving.current = true;
        const back = router.state.location.href;
        // The order matters, because a page without its session would show an error.
        void router.navigate({ to: '/sign-in', search: { back } }).then(forgetSession);
      }),
    [router],
  );
}

/** If the user was removed from the organization, the session no longer contains it, and no page shows its data. */
function useSessionWhenRemoved(): void {
  useEffect(
    () =>
      onProblem(({ code }) => {
        if (code === 'organization_not_found') void refetch(queryClient, ['readSession']);
      }),
    [],
  );
}
