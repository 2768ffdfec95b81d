// The rule for refunds of what is bought on the marketplace. No zod here: the web app ships it.

/** How long the seller has to answer. */
export const REFUND_ANSWER_DAYS = 3

export const refundReasons = {
  not_working: 'It does not work',
  not_as_described: 'It is not as described',
  bought_by_mistake: 'Bought by mistake',
  bought_twice: 'Bought twice',
  other: 'Another reason',
} as const
export type RefundReason = keyof typeof refundReasons

/** Whether the buyer gets the money back. A seller who says nothing accepts; a no counts once something was downloaded. */
export const isRefunded = ({ answer, downloaded }: { answer: 'accept' | 'decline' | null; downloaded: boolean }): boolean =>
  answer !== 'decline' || !downloaded
