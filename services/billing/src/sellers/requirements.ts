// The payment provider's requirements of a seller, in plain words.

const texts: [RegExp, string][] = [
  [/^external_account/, 'Add the bank account that your payouts go to.'],
  [/verification\.(additional_)?document/, 'Upload a photo of your ID, such as a passport or driver’s license.'],
  [/^tos_acceptance/, 'Accept the payment provider’s terms.'],
  [/\.dob\b/, 'Enter your date of birth.'],
  [/\.(first|last)_name$/, 'Enter your full legal name.'],
  [/\.address\b/, 'Enter your address.'],
  [/\.email$/, 'Enter your email address.'],
  [/\.phone$/, 'Enter your phone number.'],
  [/(id_number|ssn_last_4|tax_id)/, 'Enter your tax or social security number.'],
  [/^business_type$/, 'Say whether you sell as a person or as a company.'],
  [/^business_profile\./, 'Describe what you sell.'],
  [/^company\./, 'Enter the details of your company.'],
  [/(owners|directors|representative|person_)/, 'Enter who owns and represents your company.'],
]

export const requirementText = (code: string): string =>
  texts.find(([pattern]) => pattern.test(code))?.[1] ?? 'Complete your details with the payment provider.'

export function stoppedBecause(reason: string | null): string {
  if (reason?.startsWith('rejected')) return 'The payment provider declined this account. Write to us, and we will look into it.'
  if (reason === 'requirements.past_due') return 'Details that the payment provider asked for are missing.'
  if (reason === 'listed' || reason === 'under_review') return 'The payment provider is reviewing this account.'
  return 'The payment provider has stopped payouts for this account.'
}
