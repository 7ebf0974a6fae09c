const PAGES: Readonly<Record<string, string>> = {
  agent: '/agents/',
  conv: '/conversations/',
  enduser: '/end-users/',
  campaign: '/campaigns/',
  trigger: '/triggers/',
  channel: '/channels/',
  key: '/settings/integrations/api-keys/',
  whk: '/settings/integrations/webhooks/',
};

/** Returns the address of the page of an ID, by its prefix. Null: the text is not the ID of a record with a page. */
export const pageOfId = (text: string): string | null => {
  const [, prefix = ''] = /^([a-z]+)_[0-9a-z]{26}$/.exec(text) ?? [];
  return Object.hasOwn(PAGES, prefix) ? PAGES[prefix]! + text : null;
};
