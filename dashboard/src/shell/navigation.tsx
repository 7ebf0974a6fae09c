import {
  IconBolt,
  IconBuilding,
  IconChartBar,
  IconCoins,
  IconCreditCard,
  IconHistory,
  IconHome,
  IconKey,
  IconLogin2,
  IconMessages,
  IconPlugConnected,
  IconRobot,
  IconServer2,
  IconShieldCheck,
  IconSpeakerphone,
  IconTerminal2,
  IconUserCircle,
  IconUsers,
  IconUsersGroup,
  IconWebhook,
} from '@tabler/icons-react';
import { Link, type LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTexts } from '../language/texts.tsx';
import { useMaybeOrganization, useSession } from '../session/session.ts';
import { ApprovalCount, WaitingCount } from './waiting-count.tsx';
import { texts } from './texts.ts';
import classes from './shell.module.css';

type Word = keyof (typeof texts)['en'];
export type Item = {
  to: NonNullable<LinkProps['to']>;
  word: Word;
  icon: typeof IconKey;
  exact?: boolean;
  /** True: the entry is only for the operator of the installation. */
  operator?: boolean;
  /** True: the entry is only for owners of the current organization. */
  owner?: boolean;
  /** True: the entry is only for people who signed in to their own account. */
  personal?: boolean;
};
type Section = { heading?: Word; items: readonly Item[] };

/** Every entry of the sidebar, in order. Other pages link to pages without an entry. */
const SECTIONS: readonly Section[] = [
  {
    items: [
      { to: '/', word: 'home', icon: IconHome, exact: true },
      { to: '/conversations', word: 'conversations', icon: IconMessages },
      { to: '/approvals', word: 'approvals', icon: IconShieldCheck },
      { to: '/end-users', word: 'end_users', icon: IconUsersGroup },
      { to: '/analytics', word: 'analytics', icon: IconChartBar },
    ],
  },
  {
    heading: 'build',
    items: [
      { to: '/agents', word: 'agents', icon: IconRobot },
      { to: '/triggers', word: 'triggers', icon: IconBolt },
      { to: '/channels', word: 'channels', icon: IconPlugConnected },
      { to: '/campaigns', word: 'campaigns', icon: IconSpeakerphone },
    ],
  },
  {
    heading: 'integrations',
    items: [
      { to: '/settings/integrations/api-keys', word: 'api_keys', icon: IconKey },
      { to: '/settings/integrations/webhooks', word: 'webhooks', icon: IconWebhook },
    ],
  },
  {
    heading: 'settings',
    items: [
      { to: '/settings/organization', word: 'organization', icon: IconBuilding },
      { to: '/settings/members', word: 'members', icon: IconUsers },
      { to: '/settings/sign-in', word: 'sign_in', icon: IconLogin2, owner: true },
      { to: '/settings/access-tokens', word: 'access_tokens', icon: IconTerminal2 },
      { to: '/settings/costs', word: 'costs', icon: IconCoins },
      { to: '/settings/plan', word: 'plan', icon: IconCreditCard },
      { to: '/activity', word: 'activity', icon: IconHistory },
      { to: '/settings/installation', word: 'installation', icon: IconServer2, operator: true },
      { to: '/settings/sessions', word: 'account', icon: IconUserCircle, personal: true },
    ],
  },
];

/** Returns the entries that the user may open. */
export function useSections(): Section[] {
  const { operator, only_organization } = useSession();
  const isOwner = useMaybeOrganization()?.role === 'owner';
  const isSeen = (item: Item): boolean =>
    (operator || !item.operator) && (isOwner || !item.owner) && (only_organization === null || !item.personal);
  return SECTIONS.map(({ items, ...section }) => ({ ...section, items: items.filter(isSeen) }));
}

export function Navigation({ onNavigate }: { onNavigate?: () => void }): ReactNode {
  const say = useTexts(texts);
  return (
    <nav aria-label={say('main_navigation')} className={classes.navigation}>
      {useSections().map(({ heading, items }) => (
        <div key={heading ?? 'start'} className={classes.section}>
          {heading && <div className={classes.heading}>{say(heading)}</div>}
          <ul>
            {items.map(({ to, word, icon: Icon, exact }) => (
              <li key={to}>
                <Link
                  to={to}
                  className={classes.link}
                  activeOptions={{ exact: exact ?? false, includeSearch: false }}
                  activeProps={{ 'aria-current': 'page', 'data-active': true } as object}
                  onClick={onNavigate}
                >
                  <Icon size={18} stroke={1.7} aria-hidden="true" />
                  {say(word)}
                  {to === '/conversations' && <WaitingCount />}
                  {to === '/approvals' && <ApprovalCount />}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}
