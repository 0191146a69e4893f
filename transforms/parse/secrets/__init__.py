"""What is a secret in text: by the name it stands under, by the place it has, by its own shape."""
