import { PublicLayout } from '../../shell/PublicLayout.tsx'
import { Demo } from './Demo.tsx'
import { FeatureGrid } from './FeatureGrid.tsx'
import { Hero } from './Hero.tsx'
import { PricingSection } from './PricingSection.tsx'
import { WhyChoose } from './WhyChoose.tsx'

export function LandingPage() {
  return (
    <PublicLayout>
      <Hero />
      <FeatureGrid />
      <WhyChoose />
      <Demo />
      <PricingSection />
    </PublicLayout>
  )
}
