/** The four regions of the service. One deployment serves exactly one region. */
export const REGIONS = {
  us: 'United States',
  eu: 'European Union',
  in: 'India',
  qa: 'Qatar',
} as const;

export type Region = keyof typeof REGIONS;

export const REGION_IDS = Object.keys(REGIONS) as Region[];

export const isRegion = (value: string): value is Region => Object.hasOwn(REGIONS, value);
