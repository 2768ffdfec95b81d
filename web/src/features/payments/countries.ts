const codes = 'AU AT BE BG CA HR CY CZ DK EE FI FR DE GR HK HU IE IT JP LV LT LU MT NL NZ NO PL PT RO SG SK SI ES SE CH GB US'.split(' ')

/** Where the payment provider pays sellers, by name. */
export const countries = codes
  .map((code) => [code, new Intl.DisplayNames('en-US', { type: 'region' }).of(code) ?? code] as const)
  .toSorted(([, a], [, b]) => a.localeCompare(b))
