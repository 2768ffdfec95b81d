// First things to ask, while nothing has been said. A demo that only reads has a recorded answer to each. No zod here: the web app ships it.

export const chatStarters = [
  'Write a reply to a customer who wants a refund after 40 days',
  'Plan next week for a two-person bakery',
  'Explain my cash flow to me as if I had never run a business',
  'Give me five subject lines for a spring sale',
] as const

export const compareStarters = [
  'Write a two-sentence pitch for a bookkeeping service for freelancers',
  'List three risks of raising prices by 10 % in a salon',
  'Answer this review kindly: “Great food, but we waited 50 minutes.”',
] as const

export type Starter = (typeof chatStarters)[number] | (typeof compareStarters)[number]
