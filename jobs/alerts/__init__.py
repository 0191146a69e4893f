"""What leaves kipwatch: alerts of incidents, to whom settings name, once each."""
