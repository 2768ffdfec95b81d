import { useQuery } from '@tanstack/react-query'
import { useCall } from '../../api/call.ts'
import { loadBackend } from '../../api/session.ts'
import { sellerTerms } from '../../content/claims.ts'
import { paths } from '../../paths.ts'
import { useProfile, useStats } from './queries.ts'

export type Step = { title: string; text: string; done: boolean; to: string; action: string }

/** The seller's way from a new account to the first sale, ticked off from what the account really has. */
export function useSteps(userId: string) {
  const profile = useProfile(userId)
  const stats = useStats(userId)
  const asked = useHas('ai_conversations', userId)
  const selling = useHas('marketplace_items', userId)
  const sold = useCall('marketplace-overview', {}, { key: ['marketplace-overview', userId] })
  const payouts = useCall('payout-account', {}, { key: ['payout-account', userId] })
  const queries = [profile, stats, asked, selling, sold, payouts]
  const slug = profile.data?.marketplace_slug
  const steps: Step[] = [
    {
      title: 'Choose a plan',
      text: 'Your plan opens the seller tools.',
      done: true,
      to: paths.pricing,
      action: 'See plan and usage',
    },
    {
      title: 'Add your name',
      text: 'Your dashboard and your storefront show it.',
      done: Boolean(profile.data?.display_name),
      to: paths.settings,
      action: 'Open settings',
    },
    {
      title: 'Ask the assistant for something',
      text: 'A draft, a comparison, a list of names. It asks before it spends or sends.',
      done: Boolean(asked.data),
      to: paths.assistant,
      action: 'Start a chat',
    },
    {
      title: 'Bring in your first lead',
      text: 'From a form, an import or by hand.',
      done: Boolean(stats.data?.leads.total),
      to: paths.crm,
      action: 'Open CRM & Leads',
    },
    {
      title: 'Set up your storefront',
      text: 'An address of its own, what your business does, and how buyers reach you.',
      done: Boolean(slug),
      to: `${paths.manage}?tab=profile`,
      action: 'Open business profile',
    },
    {
      title: 'Publish something to sell',
      text: `${sellerTerms} Your storefront opens with the first active product.`,
      done: Boolean(selling.data),
      to: `${paths.manage}?tab=products`,
      action: 'Open my products',
    },
    {
      title: 'Set up payouts',
      text: 'Buyers can pay once the payment provider knows where your money goes.',
      done: Boolean(payouts.data?.ready),
      to: paths.payments,
      action: 'Open payments',
    },
    {
      title: 'Make your first sale',
      text: 'Share the link of your storefront. The money follows on a Friday.',
      done: Boolean(sold.data?.sales),
      to: paths.manage,
      action: 'See sales',
    },
  ]
  return {
    steps,
    next: steps.find((step) => !step.done),
    loading: queries.some((query) => query.isPending),
    failed: queries.find((query) => query.isError),
    retry: () => queries.map((query) => query.refetch()),
  }
}

function useHas(table: 'ai_conversations' | 'marketplace_items', userId: string) {
  return useQuery({
    queryKey: ['has', table, userId],
    queryFn: async () => {
      const { rest, rows } = await loadBackend()
      const selling = () => rest.from('marketplace_items').select('id').eq('user_id', userId).eq('is_active', true).limit(1)
      const asked = () => rest.from('ai_conversations').select('id').limit(1)
      const found = await rows<{ id: string }[]>(table === 'marketplace_items' ? selling() : asked())
      return found.length > 0
    },
  })
}
